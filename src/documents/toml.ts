/**
 * Parses TOML into a tree with offsets.
 * Headers, dotted keys, arrays of tables and inline tables become one tree.
 */

import { parseTOML, type AST } from 'toml-eslint-parser';

import type { Writable } from '../kernel/type-tools.ts';
import {
  DocumentFault,
  maxDepth,
  tooDeep,
  unparsed,
  type DocNode,
  type Document,
  type ObjectEntry,
  type TextOrigin,
} from './tree.ts';
import { refuseDeepToml } from './toml-depth.ts';

/** `text` has no byte order mark; `origin` says how its bytes were written. */
export function parseToml(text: string, { maxParts, ...origin }: TextOrigin): Document {
  try {
    const program = readToml(text, maxParts);
    const root = new TreeBuilder().build(program, text);
    const empty = root.entries.length === 0;
    const liberties = { ...origin, comments: program.comments.length > 0, trailingCommas: false };
    return { ok: true, text, root: empty ? undefined : root, liberties };
  } catch (fault) {
    return unparsed(text, fault);
  }
}

/** Returns the parser's syntax tree. Throws only `DocumentFault`. */
export function readToml(text: string, maxParts?: number): AST.TOMLProgram {
  refuseDeepToml(text, maxParts);
  try {
    return parseTOML(text);
  } catch (error) {
    // Any error of the parser counts as a fault in the text.
    const message = error instanceof Error ? error.message : String(error);
    const index: unknown = error instanceof Error && 'index' in error ? error.index : 0;
    throw new DocumentFault(message, typeof index === 'number' ? index : 0);
  }
}

interface Table {
  readonly kind: 'object';
  readonly entries: Entry[];
  start: number;
  end: number;
}
interface TableList {
  readonly kind: 'array';
  readonly items: DocNode[];
  start: number;
  end: number;
}
type Entry = Writable<ObjectEntry>;
type KeyName = AST.TOMLBare | AST.TOMLQuoted;

/** The name that one part of a key denotes. */
export function keyName(node: KeyName): string {
  return node.type === 'TOMLBare' ? node.name : node.value;
}

class TreeBuilder {
  /** Entries by name, because a table with 100,000 keys is searched for each of them. */
  readonly #index = new Map<DocNode, Map<string, Entry>>();
  /** Tables and lists of tables that a later header may still extend. */
  readonly #open = new Map<DocNode, Table | TableList>();

  build(program: AST.TOMLProgram, text: string): Table {
    const root = this.#table(0, text.length);
    for (const item of program.body[0].body) {
      if (item.type === 'TOMLKeyValue') this.#keyValue(root, item, 1);
      else this.#header(root, item);
    }
    return root;
  }

  #table(start: number, end: number): Table {
    const table: Table = { kind: 'object', entries: [], start, end };
    this.#index.set(table, new Map());
    this.#open.set(table, table);
    return table;
  }

  #header(root: Table, header: AST.TOMLTable): void {
    const [start, end] = header.range;
    const names = header.key.keys;
    const parent = this.#descend(root, names.slice(0, -1), { end, depth: 1 });
    const name = names.at(-1);
    if (name === undefined) throw new DocumentFault('a table without a name', start);
    const depth = names.length + 1;
    if (depth > maxDepth) throw tooDeep(start);

    const table =
      header.kind === 'array' ? this.#append(parent, name, header) : this.#define(parent, name, header);
    for (const pair of header.body) this.#keyValue(table, pair, depth);
  }

  /** Returns the table of a plain header. The header of a table inside it may have created it before. */
  #define(parent: Table, name: KeyName, header: AST.TOMLTable): Table {
    const [start, end] = header.range;
    const known = this.#find(parent, name);
    if (known === undefined) return this.#add(parent, name, this.#table(start, end));
    const table = this.#open.get(known.value);
    if (table?.kind !== 'object') throw clash(name);
    known.keyStart = name.range[0];
    table.start = start;
    table.end = Math.max(table.end, end);
    return table;
  }

  #append(parent: Table, name: KeyName, header: AST.TOMLTable): Table {
    const [start, end] = header.range;
    const known = this.#find(parent, name);
    const list = known === undefined ? this.#list(parent, name, start) : this.#open.get(known.value);
    if (list?.kind !== 'array') throw clash(name);
    const table = this.#table(start, end);
    list.items.push(table);
    list.end = end;
    return table;
  }

  #list(parent: Table, name: KeyName, start: number): TableList {
    const list: TableList = { kind: 'array', items: [], start, end: start };
    this.#open.set(list, list);
    return this.#add(parent, name, list);
  }

  #keyValue(table: Table, pair: AST.TOMLKeyValue, depth: number): void {
    const names = pair.key.keys;
    const parent = this.#descend(table, names.slice(0, -1), { end: pair.range[1], depth });
    const name = names.at(-1);
    if (name === undefined) throw new DocumentFault('a value without a key', pair.range[0]);
    if (this.#find(parent, name) !== undefined) throw clash(name);
    this.#add(parent, name, this.#value(pair.value, depth + names.length - 1));
    table.end = Math.max(table.end, pair.range[1]);
  }

  /** Follows names down and creates missing tables. In a list of tables, it follows the last one. */
  #descend(from: Table, names: readonly KeyName[], { end, depth }: { end: number; depth: number }): Table {
    if (depth + names.length > maxDepth) throw tooDeep(names[0]?.range[0] ?? 0);
    let table = from;
    for (const name of names) {
      const known = this.#find(table, name)?.value ?? this.#add(table, name, this.#table(name.range[0], end));
      const next = this.#lastOpen(known, end);
      if (next === undefined) throw clash(name);
      table = next;
    }
    return table;
  }

  #lastOpen(node: DocNode, end: number): Table | undefined {
    const open = this.#open.get(node);
    if (open === undefined) return undefined;
    open.end = Math.max(open.end, end);
    if (open.kind === 'object') return open;
    const last = open.items.at(-1);
    return last === undefined ? undefined : this.#lastOpen(last, end);
  }

  #find(table: Table, name: KeyName): Entry | undefined {
    return this.#index.get(table)?.get(keyName(name));
  }

  #add<Node extends DocNode>(table: Table, name: KeyName, value: Node): Node {
    const entry: Entry = { key: keyName(name), keyStart: name.range[0], value };
    table.entries.push(entry);
    this.#index.get(table)?.set(entry.key, entry);
    return value;
  }

  /** `depth` is the depth of the container that holds the value. */
  #value(node: AST.TOMLContentNode, depth: number): DocNode {
    const [start, end] = node.range;
    if (node.type === 'TOMLValue') return scalar(node, start, end);
    if (depth >= maxDepth) throw tooDeep(start);
    if (node.type === 'TOMLArray') {
      return { kind: 'array', items: node.elements.map((item) => this.#value(item, depth + 1)), start, end };
    }
    const table = this.#table(start, end);
    for (const pair of node.body) this.#keyValue(table, pair, depth + 1);
    return table;
  }
}

/** Dates become strings: no reader needs a date, and a string preserves what the user wrote. */
function scalar(node: AST.TOMLValue, start: number, end: number): DocNode {
  if (node.kind === 'string') return { kind: 'string', value: node.value, start, end };
  if (node.kind === 'boolean') return { kind: 'boolean', value: node.value, start, end };
  if (node.kind === 'integer' || node.kind === 'float')
    return { kind: 'number', value: node.value, start, end };
  return { kind: 'string', value: node.datetime, start, end };
}

function clash(name: KeyName): DocumentFault {
  return new DocumentFault(`${JSON.stringify(keyName(name))} is defined twice`, name.range[0]);
}
