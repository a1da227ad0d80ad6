/**
 * Edits TOML by splices.
 * Headers, dotted keys, arrays of tables and inline tables are each handled differently.
 */

import { isObject, type JsonValue } from '../../kernel/json.ts';
import { EditRefusal, insertAt, nest, pathText, type Edit, type Path, type Splice } from '../edit.ts';
import { indentAt, isBlank, lineEndAt, type TextStyle } from '../text-style.ts';
import { parseToml, readToml } from '../toml.ts';
import type { ParsedDocument } from '../tree.ts';
import { insertElement, removeElement, type CommaList } from './comma-list.ts';
import type { EditTools } from './edit-text.ts';
import { cutLines, lineAfter } from './line-cuts.ts';
import { printInline, printKey, printTable, printValue } from './toml-print.ts';
import { isPrefix, namesOf, TomlPage } from './toml-statements.ts';
import { type Inline, findInline, childOf, lastDotted, prefersInline, samePath } from './toml-find.ts';

export const tomlTools: EditTools = {
  parse: (text) => parseToml(text, { bom: false, utf16: false }),
  splice: spliceToml,
  losesEmpty: true,
};

function spliceToml({ text }: ParsedDocument, edit: Edit, style: TextStyle): Splice[] {
  const editor = new TomlEditor(new TomlPage(text, readToml(text)), style);
  if (edit.kind === 'insert') return editor.insert(edit);
  if (edit.kind === 'append') return editor.append(edit);
  return edit.kind === 'remove' ? editor.remove(edit) : [editor.replace(edit)];
}

interface NewEntry {
  readonly path: Path;
  readonly key: string;
  readonly value: JsonValue;
}

interface Block {
  /** The block goes after everything that belongs to this path. */
  readonly after: Path;
  readonly names: readonly string[];
  readonly value: { readonly [key: string]: JsonValue };
  readonly brackets?: '[]' | '[[]]';
}

class TomlEditor {
  readonly #page: TomlPage;
  readonly #style: TextStyle;

  constructor(page: TomlPage, style: TextStyle) {
    this.#page = page;
    this.#style = style;
  }

  insert(entry: NewEntry): Splice[] {
    const { path, key, value } = entry;
    const page = this.#page;
    const inline = findInline(page.statements, path);
    if (inline !== undefined) return this.#insertInline(inline, entry);
    const dotted = lastDotted(page.statements, path);
    if (dotted !== undefined) {
      const names = [...path.slice(dotted.owner?.path.length ?? 0), key];
      return [this.#lineAfter(dotted.node.range[1], names, value, dotted.node.range[0])];
    }
    if (isObject(value) && !prefersInline(page.statements, path)) {
      return [this.#block({ after: path, names: namesIn([...path, key]), value })];
    }
    return [this.#insertPair(entry)];
  }

  append({ path, value }: { path: Path; value: JsonValue }): Splice[] {
    const { statements } = this.#page;
    const inline = findInline(statements, path);
    if (inline?.node.type === 'TOMLArray' && inline.rest.length === 0)
      return this.#add(inline.node, printInline(value));
    const exists = statements.some((statement) => isPrefix(path, statement.path));
    if (inline === undefined && isObject(value) && path.length > 0) {
      return [this.#block({ after: path, names: namesIn(path), value, brackets: '[[]]' })];
    }
    const key = path.at(-1);
    if (typeof key !== 'string' || (exists && inline === undefined))
      throw new EditRefusal(`${pathText(path)} takes tables only`);
    return this.insert({ path: path.slice(0, -1), key, value: [value] });
  }

  remove({ path, key }: { path: Path; key: string | number }): Splice[] {
    const page = this.#page;
    const target = [...path, key];
    const hits = page.statements.filter((statement) => isPrefix(target, statement.path));
    if (hits.length > 0)
      return cutLines(
        page.text,
        hits.map((statement) => page.linesOf(statement)),
      );

    const inline = findInline(page.statements, path);
    if (inline === undefined) throw new EditRefusal(`there is no ${pathText(target)}`);
    const list = this.#commaList(inline.node);
    if (inline.node.type === 'TOMLArray') return removeElement(list, Number(key));
    const names = [...inline.rest, key];
    return removeElement(
      list,
      inline.node.body.findLastIndex((pair) => isPrefix(names, namesOf(pair.key))),
    );
  }

  replace({ path, key, value }: { path: Path; key: string | number; value: JsonValue }): Splice {
    const { text, statements } = this.#page;
    const target = [...path, key];
    const pair = statements.find(
      (statement) => statement.kind === 'pair' && samePath(statement.path, target),
    );
    const old = pair?.kind === 'pair' ? pair.node.value : childOf(findInline(statements, path), key);
    if (old === undefined) throw new EditRefusal(`${pathText(target)} is spread over several places`);
    const [start, end] = old.range;
    const spread = pair !== undefined && text.slice(start, end).includes('\n');
    return { start, end, text: printValue(value, this.#style, { outer: indentAt(text, start), spread }) };
  }

  #commaList(node: Inline['node']): CommaList {
    const elements = node.type === 'TOMLArray' ? node.elements : node.body;
    const spans = elements.map(({ range: [start, end] }) => ({ start, end }));
    const [start, end] = node.range;
    return { text: this.#page.text, open: start + 1, close: end - 1, elements: spans, comments: 'hash' };
  }

  #add(node: Inline['node'], body: string): Splice[] {
    const list = this.#commaList(node);
    const padded = node.type === 'TOMLInlineTable' && list.elements.length === 0 ? ` ${body} ` : body;
    return insertElement(list, () => padded, { ...this.#style, gap: ' ', oneLine: true });
  }

  #insertInline({ node, rest }: Inline, { path, key, value }: NewEntry): Splice[] {
    if (node.type === 'TOMLArray') throw new EditRefusal(`there is no ${pathText(path)}`);
    const [first, ...below] = rest;
    const spelled = node.body.some((pair) => isPrefix(rest, namesOf(pair.key)));
    if (typeof first !== 'string' || spelled) {
      return this.#add(node, `${printKey(namesIn([...rest, key]))} = ${printInline(value)}`);
    }
    return this.#add(node, `${printKey([first])} = ${printInline(nest([...below, key], value))}`);
  }

  #insertPair({ path, key, value }: NewEntry): Splice {
    const { statements } = this.#page;
    const header = statements.find(
      (statement) => statement.kind === 'header' && samePath(statement.path, path),
    );
    if (header?.kind === 'header') {
      const like = header.node.body.at(-1) ?? header.node;
      return this.#lineAfter(header.node.range[1], [key], value, like.range[0]);
    }
    if (path.length > 0) return this.#block({ after: path, names: namesIn(path), value: { [key]: value } });

    const top = statements.findLast(
      (statement) => statement.kind === 'pair' && statement.owner === undefined,
    );
    if (top !== undefined) return this.#lineAfter(top.node.range[1], [key], value, top.node.range[0]);
    const line = `${printKey([key])} = ${printValue(value, this.#style)}`;
    const [first] = statements;
    if (first === undefined) return this.#atEnd(line, this.#page.endOf([]));
    return insertAt(this.#page.linesOf(first).start, line + eolTwice(this.#style));
  }

  /** Inserts a pair after the line at `offset`, indented like the line at `like`. */
  #lineAfter(offset: number, names: Path, value: JsonValue, like: number): Splice {
    const { text } = this.#page;
    const outer = indentAt(text, like);
    const line = `${outer}${printKey(namesIn(names))} = ${printValue(value, this.#style, { outer, spread: false })}`;
    return lineAfter(text, offset, line, this.#style.eol);
  }

  #block({ after, names, value, brackets = '[]' }: Block): Splice {
    return this.#atEnd(printTable(names, value, this.#style, brackets), this.#page.endOf(after));
  }

  /** Adds a blank line before `body`, unless the next statement is not separated by a blank line either. */
  #atEnd(body: string, at: number): Splice {
    const { text } = this.#page;
    const { eol } = this.#style;
    if (isBlank(text)) return { start: 0, end: text.length, text: body + eol };
    const apart = isBlank(text.slice(at, lineEndAt(text, at))) ? eol : '';
    const ended = text[at - 1] === '\n';
    return insertAt(at, ended ? apart + body + eol : eol + apart + body);
  }
}

function eolTwice({ eol }: TextStyle): string {
  return eol + eol;
}

/**
 * Returns the names in a path without list indexes:
 * in TOML, a header implicitly means the last item of a list.
 */
function namesIn(path: Path): string[] {
  return path.filter((key) => typeof key === 'string');
}
