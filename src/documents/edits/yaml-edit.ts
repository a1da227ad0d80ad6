/**
 * Edits YAML by splices: block style by lines, flow style by commas.
 * Refuses to change values shared by an anchor.
 */

import { isAlias, isCollection, isMap, isSeq, type Node } from 'yaml';

import type { JsonValue } from '../../kernel/json.ts';
import { cut, EditRefusal, insertAt, nest, pathText, type Edit, type Path, type Splice } from '../edit.ts';
import { isBlank, isFirstOnLine, lineEndAt, type TextStyle } from '../text-style.ts';
import type { ParsedDocument } from '../tree.ts';
import { readYaml, startOf } from '../yaml-syntax.ts';
import { parseYaml } from '../yaml.ts';
import { insertElement, removeElement } from './comma-list.ts';
import type { EditTools } from './edit-text.ts';
import { cutLines } from './line-cuts.ts';
import {
  columnOf,
  columnOfParts,
  contentEnd,
  isEmptyText,
  isFlow,
  isNothing,
  layoutOf,
  partsOf,
  type Collection,
  type Part,
} from './yaml-parts.ts';
import {
  fitsLine,
  innerColumn,
  printBlock,
  printEntry,
  printFlow,
  printFlowItem,
  printString,
  type YamlLayout,
} from './print-value.ts';
import { type Spot, YamlPage, shared } from './yaml-page.ts';

export const yamlTools: EditTools = {
  parse: (text) => parseYaml(text, { bom: false, utf16: false }),
  splice: spliceYaml,
  losesEmpty: false,
};

function spliceYaml({ text }: ParsedDocument, edit: Edit, style: TextStyle): Splice[] {
  const { contents } = readYaml(text);
  const editor = new YamlEditor(text, contents, layoutOf(text, contents, style));
  if (edit.kind === 'insert' || edit.kind === 'append') return editor.add(edit);
  return edit.kind === 'remove' ? editor.remove(edit) : editor.replace(edit);
}

class YamlEditor {
  readonly #text: string;
  readonly #page: YamlPage;
  readonly #layout: YamlLayout;

  constructor(text: string, contents: Node | null, layout: YamlLayout) {
    this.#text = text;
    this.#page = new YamlPage(text, contents);
    this.#layout = layout;
  }

  add(edit: Edit & { kind: 'insert' | 'append' }): Splice[] {
    const { spot, rest } = this.#page.walk(edit.path);
    const added = edit.kind === 'insert' ? nest([edit.key], edit.value) : [edit.value];
    const whole = nest(rest, added);
    const { value } = spot;
    if (isNothing(value) || this.#page.isBare(value)) return this.#fill(spot, whole);
    const [first, ...below] = rest;
    if (isMap(value) && typeof first === 'string')
      return this.#addTo(value, spot, { key: first, value: nest(below, added) });
    if (isMap(value) && first === undefined && edit.kind === 'insert') return this.#addTo(value, spot, edit);
    if (isSeq(value) && first === undefined && edit.kind === 'append') return this.#addTo(value, spot, edit);
    throw new EditRefusal(`${pathText(edit.path)} cannot take it`);
  }

  remove({ path, key }: { path: Path; key: string | number }): Splice[] {
    const { node, parts, index, spot, part } = this.#page.find(path, key);
    if (isFlow(node)) return removeElement(this.#page.commaList(node), index);
    if (parts.length === 1) return this.#emptied(spot, node, part);
    const column = columnOfParts(this.#text, node);
    if (isFirstOnLine(this.#text, part.start))
      return cutLines(this.#text, [this.#page.linesOf(part, column)]);
    return [this.#cutFirst(part, parts[index + 1]?.start ?? part.end, column)];
  }

  replace({ path, key, value }: { path: Path; key: string | number; value: JsonValue }): Splice[] {
    const { node, part, spot } = this.#page.find(path, key);
    const old = part.value;
    if (old !== null && !isAlias(old) && old.anchor !== undefined) throw shared([...path, key]);
    const inner: Spot = {
      value: old,
      attach: part.attach,
      column: columnOfParts(this.#text, node),
      parent: isMap(node) ? 'map' : 'list',
      inFlow: spot.inFlow || isFlow(node),
      lead: part.lead,
    };
    if (old === null || isEmptyText(old) || this.#page.isBare(old)) return this.#fill(inner, value);
    return this.#swap(inner, old, value);
  }

  /** Writes a value where there is none, or only an empty one. */
  #fill(spot: Spot, value: JsonValue): Splice[] {
    const { attach, value: old } = spot;
    const inLine = spot.inFlow || fitsLine(value, this.#layout);
    if (old === null || isEmptyText(old)) {
      if (attach === undefined) return this.#atEnd(value);
      if (spot.parent === 'map' && !inLine) return this.#fillBelow(value, spot.column, cut(attach, attach));
      return [insertAt(attach, spot.lead + this.#print(value, spot.column + 2, inLine))];
    }
    const start = startOf(old);
    const end = this.#page.textEnd(contentEnd(old));
    if (attach !== undefined && spot.parent === 'map' && !inLine) {
      return this.#fillBelow(value, spot.column, cut(attach, end));
    }
    return [{ start, end, text: this.#print(value, columnOf(this.#text, start), inLine) }];
  }

  #print(value: JsonValue, column: number, inLine: boolean): string {
    return inLine ? printFlow(value, this.#layout) : printBlock(value, this.#layout, column);
  }

  /**
   * Writes a value on the lines below a key. A comment on the key's line, and comments below that are
   * indented deeper than the value, stay above it.
   */
  #fillBelow(value: JsonValue, column: number, old: Splice): Splice[] {
    const inner = innerColumn(value, this.#layout, column);
    const body = ' '.repeat(inner) + printBlock(value, this.#layout, inner);
    return [old, this.#line(body, this.#page.after(old.end, inner))];
  }

  /** Inserts a line at the start of a line, or at the end of a text that has no final line break. */
  #line(line: string, at: number): Splice {
    const { eol } = this.#layout;
    return insertAt(at, this.#text[at - 1] === '\n' ? line + eol : eol + line);
  }

  #atEnd(value: JsonValue): Splice[] {
    const text = this.#text;
    const { eol } = this.#layout;
    const body = printBlock(value, this.#layout, 0);
    if (isBlank(text)) return [{ start: 0, end: text.length, text: body + eol }];
    return [insertAt(text.length, text.endsWith('\n') ? body + eol : eol + body)];
  }

  #addTo(node: Collection, spot: Spot, { key, value }: { key?: string; value: JsonValue }): Splice[] {
    const layout = this.#layout;
    if (isFlow(node) || spot.inFlow) {
      const name = key === undefined ? '' : `${printString(key, layout)}: `;
      const print = (indent: string | undefined): string => name + printFlowItem(value, layout, indent);
      const style = {
        eol: layout.eol === '\r\n' ? '\r\n' : '\n',
        indent: ' '.repeat(layout.mapIndent),
        gap: ' ',
        oneLine: true,
      } as const;
      return insertElement(this.#page.commaList(node), print, style);
    }
    const column = columnOfParts(this.#text, node);
    const body =
      key === undefined
        ? `- ${printBlock(value, layout, column + 2)}`
        : printEntry({ key, value }, layout, column);
    const last = partsOf(node).at(-1);
    return [this.#line(' '.repeat(column) + body, this.#page.after(last?.end ?? this.#text.length, column))];
  }

  /** Removes the only part, and marks the collection as empty with `{}` or `[]`. */
  #emptied(spot: Spot, node: Collection, part: Part): Splice[] {
    const text = this.#text;
    const nothing = isMap(node) ? '{}' : '[]';
    if (spot.attach === undefined || !isFirstOnLine(text, part.start)) {
      return [{ start: part.start, end: this.#page.textEnd(part.end), text: nothing }];
    }
    const lines = this.#page.linesOf(part, columnOfParts(text, node));
    return [insertAt(spot.attach, ` ${nothing}`), ...cutLines(text, [lines])];
  }

  /**
   * Removes the first key after a dash.
   * The next one moves up to the dash unless there are comments in between.
   */
  #cutFirst(part: Part, next: number, column: number): Splice {
    const text = this.#text;
    if (isBlank(text.slice(this.#page.after(part.end, column), next))) return cut(part.start, next);
    let from = part.start;
    while (text[from - 1] === ' ') from -= 1;
    return cut(from, lineEndAt(text, this.#page.textEnd(part.end)));
  }

  /** Replaces an existing value. */
  #swap(spot: Spot, old: Node, value: JsonValue): Splice[] {
    const text = this.#text;
    const layout = this.#layout;
    const start = startOf(old);
    const end = this.#page.textEnd(contentEnd(old));
    const wasFlow = isCollection(old) && isFlow(old);
    if (spot.inFlow || wasFlow || fitsLine(value, layout)) {
      const attach = spot.attach ?? start;
      const closeUp = !isFirstOnLine(text, start) || !isBlank(text.slice(attach, start)) || spot.inFlow;
      const lead = closeUp ? '' : ' ';
      return [{ start: closeUp ? start : attach, end, text: lead + printFlow(value, layout) }];
    }
    if (isCollection(old) || spot.parent !== 'map') {
      return [{ start, end, text: printBlock(value, layout, columnOf(text, start)) }];
    }
    return this.#fill(spot, value);
  }
}
