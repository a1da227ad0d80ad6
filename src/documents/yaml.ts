/**
 * Parses YAML into a tree with offsets.
 * Expands aliases within a limit, applies `<<` merge keys and ignores tags.
 */

import { isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from 'yaml';

import {
  DocumentFault,
  maxDepth,
  toValue,
  tooDeep,
  unparsed,
  type DocNode,
  type Document,
  type ObjectEntry,
  type TextOrigin,
} from './tree.ts';
import { asNode, endOf, readYaml, startOf, type YamlSyntax } from './yaml-syntax.ts';

/** If aliases expand to more nodes than this, the file is an attack or an accident. */
const maxAliasNodes = 10_000;

/** `text` has no byte order mark; `origin` says how its bytes were written. */
export function parseYaml(text: string, { maxParts, ...origin }: TextOrigin): Document {
  try {
    const syntax = readYaml(text, maxParts);
    const root =
      syntax.contents === null ? undefined : new TreeBuilder(syntax.targets).node(syntax.contents, 0);
    return {
      ok: true,
      text,
      root,
      liberties: { ...origin, comments: syntax.comments, trailingCommas: false },
    };
  } catch (fault) {
    return unparsed(text, fault);
  }
}

class TreeBuilder {
  readonly #targets: YamlSyntax['targets'];
  /**
   * Anchored nodes that are being expanded for an alias. Expanding one again inside itself would never end.
   */
  readonly #expanding = new Set<Node>();
  #aliasNodes = 0;

  constructor(targets: YamlSyntax['targets']) {
    this.#targets = targets;
  }

  /** `depth` counts the containers around the node. */
  node(node: Node, depth: number): DocNode {
    const start = startOf(node);
    if (this.#expanding.size > 0) this.#count(start);
    const span = { start, end: Math.max(start, endOf(node)) };
    if (isAlias(node)) return this.#expand(node, (target) => ({ ...this.node(target, depth), ...span }));
    if (isScalar(node)) return { ...scalar(node), ...span };
    if (depth >= maxDepth) throw tooDeep(start);
    if (isMap(node)) return { kind: 'object', entries: this.#entries(node, depth + 1), ...span };
    return { kind: 'array', items: node.items.map((item) => this.#child(item, depth + 1, start)), ...span };
  }

  #count(offset: number): void {
    this.#aliasNodes += 1;
    if (this.#aliasNodes > maxAliasNodes) {
      throw new DocumentFault(`aliases stand for more than ${maxAliasNodes} values`, offset);
    }
  }

  #expand<Result>(alias: Node, use: (target: Node) => Result): Result {
    const target = isAlias(alias) ? this.#targets.get(alias) : undefined;
    if (target === undefined) throw new DocumentFault('an alias without an anchor', startOf(alias));
    if (this.#expanding.has(target))
      throw new DocumentFault('an alias inside of what it stands for', startOf(alias));
    this.#expanding.add(target);
    try {
      return use(target);
    } finally {
      this.#expanding.delete(target);
    }
  }

  #child(item: unknown, depth: number, offset: number): DocNode {
    const node = asNode(item);
    return node === null ? { kind: 'null', start: offset, end: offset } : this.node(node, depth);
  }

  #entries(map: YAMLMap, depth: number): ObjectEntry[] {
    const own: ObjectEntry[] = [];
    const slots: { readonly at: number; readonly value: Node }[] = [];
    for (const pair of map.items) {
      const key = asNode(pair.key);
      const value = asNode(pair.value);
      const keyStart = key === null ? startOf(map) : startOf(key);
      if (isMergeKey(key) && value !== null && this.#mergeable(value)) slots.push({ at: own.length, value });
      else own.push({ key: this.#keyText(key, depth), keyStart, value: this.#child(value, depth, keyStart) });
    }
    return slots.length === 0 ? own : this.#merged(own, slots, depth);
  }

  /**
   * Own keys override merged ones, and earlier merges override later ones. Overridden entries are omitted, so
   * that they do not count as duplicates.
   */
  #merged(
    own: readonly ObjectEntry[],
    slots: readonly { readonly at: number; readonly value: Node }[],
    depth: number,
  ): ObjectEntry[] {
    const taken = new Set(own.map(({ key }) => key));
    const result: ObjectEntry[] = [];
    let copied = 0;
    for (const { at, value } of slots) {
      result.push(...own.slice(copied, at));
      copied = at;
      for (const entry of this.#sources(value, depth)) {
        if (taken.has(entry.key)) continue;
        taken.add(entry.key);
        result.push(entry);
      }
    }
    return [...result, ...own.slice(copied)];
  }

  #mergeable(value: Node): boolean {
    const node = this.#target(value);
    if (isSeq(node)) return node.items.every((item) => isMap(this.#target(asNode(item))));
    return isMap(node);
  }

  #target(node: Node | null): Node | null {
    return isAlias(node) ? (this.#targets.get(node) ?? null) : node;
  }

  #sources(value: Node, depth: number): ObjectEntry[] {
    if (isAlias(value)) return this.#expand(value, (target) => this.#sources(target, depth));
    if (isMap(value)) return this.#entries(value, depth);
    if (!isSeq(value)) return [];
    const seen = new Map<string, ObjectEntry>();
    for (const item of value.items) {
      const node = asNode(item);
      const entries = node === null ? [] : this.#sources(node, depth);
      for (const [key, entry] of lastOfEach(entries)) if (!seen.has(key)) seen.set(key, entry);
    }
    return [...seen.values()];
  }

  /** Keys that are not strings keep the spelling in the file. */
  #keyText(key: Node | null, depth: number): string {
    if (key === null) return '';
    if (isScalar(key)) return typeof key.value === 'string' ? key.value : (key.source ?? '');
    const value = toValue(this.node(key, depth));
    return typeof value === 'string' ? value : JSON.stringify(value);
  }
}

function lastOfEach(entries: readonly ObjectEntry[]): Map<string, ObjectEntry> {
  return new Map(entries.map((entry) => [entry.key, entry]));
}

function isMergeKey(key: Node | null): boolean {
  return isScalar(key) && key.type === 'PLAIN' && key.value === '<<';
}

type Plain =
  | { readonly kind: 'null' }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean };

function scalar({ value, source }: Scalar): Plain {
  if (value === null) return { kind: 'null' };
  if (typeof value === 'number') return { kind: 'number', value };
  if (typeof value === 'boolean') return { kind: 'boolean', value };
  return { kind: 'string', value: typeof value === 'string' ? value : (source ?? '') };
}
