/** The entries and items of a YAML collection with all that editing has to know about their places. */

import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  visit,
  type CST,
  type Node,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';

import type { TextStyle } from '../text-style.ts';
import { lineStartAt } from '../text-style.ts';
import { asNode, endOf, startOf } from '../yaml-syntax.ts';
import type { YamlLayout } from './yaml-print.ts';

export type Collection = YAMLMap | YAMLSeq;

export interface Part {
  /** Undefined for an item of a list. */
  readonly key: string | undefined;
  /** The first sign of it: the key, its anchor or tag, or the dash. */
  readonly start: number;
  /** Where its value ends, or its colon or dash when it has none. */
  readonly end: number;
  /** After the colon or dash and what qualifies the value: where a value on the same line would go, after a space. */
  readonly attach: number;
  /** A space, or with it the colon that is not written yet. */
  readonly lead: string;
  readonly value: Node | null;
}

export function isFlow(node: Collection): boolean {
  return node.flow === true;
}

export function partsOf(node: Collection): Part[] {
  return isMap(node) ? mapParts(node) : listParts(node);
}

function mapParts(map: YAMLMap): Part[] {
  return map.items.map((pair) => {
    const key = asNode(pair.key);
    const value = asNode(pair.value);
    const { start = [], sep = [] } = pair.srcToken ?? {};
    const keyStart = key === null ? (sep[0]?.offset ?? startOf(map)) : startOf(key);
    const attach = lastSign(sep) ?? (key === null ? keyStart : endOf(key));
    return {
      key: keyText(key),
      start: Math.min(keyStart, firstSign(start) ?? keyStart),
      end: Math.max(attach, contentEnd(value)),
      attach,
      lead: sep.some(({ type }) => type === 'map-value-ind') ? ' ' : ': ',
      value,
    };
  });
}

function listParts(list: YAMLSeq): Part[] {
  const tokens = itemTokens(list);
  return list.items.map((item, index) => {
    const value = asNode(item);
    const signs = tokens[index]?.start ?? [];
    const valueStart = value === null ? startOf(list) : startOf(value);
    const start = Math.min(valueStart, firstSign(signs) ?? valueStart);
    const attach = lastSign(signs) ?? start;
    return { key: undefined, start, end: Math.max(attach, contentEnd(value)), attach, lead: ' ', value };
  });
}

/** The tokens of the items themselves; a last one with nothing but a comma or a comment is left out. */
function itemTokens(list: YAMLSeq): CST.CollectionItem[] {
  const token = list.srcToken;
  if (token?.type !== 'block-seq' && token?.type !== 'flow-collection') return [];
  return token.items.filter(
    (item) => item.value !== undefined || item.sep !== undefined || firstSign(item.start) !== undefined,
  );
}

const signs = new Set(['explicit-key-ind', 'map-value-ind', 'seq-item-ind', 'anchor', 'tag']);

function firstSign(tokens: readonly CST.SourceToken[]): number | undefined {
  return tokens.find(({ type }) => signs.has(type))?.offset;
}

function lastSign(tokens: readonly CST.SourceToken[]): number | undefined {
  const token = tokens.findLast(({ type }) => signs.has(type));
  return token === undefined ? undefined : token.offset + token.source.length;
}

/** The key as the tree spells it; collections as keys are not for editing. */
function keyText(key: Node | null): string | undefined {
  if (!isScalar(key)) return key === null ? '' : undefined;
  return typeof key.value === 'string' ? key.value : (key.source ?? '');
}

/** Where a value ends; block collections end with the last thing in them, not with the comments after it. */
export function contentEnd(value: Node | null): number {
  if (value === null || isEmptyText(value)) return 0;
  if (isAlias(value) || isScalar(value) || isFlow(value)) return endOf(value);
  return partsOf(value).at(-1)?.end ?? endOf(value);
}

/** A value of which nothing is written. */
export function isEmptyText(value: Node): boolean {
  return isScalar(value) && startOf(value) >= endOf(value);
}

export function isNothing(value: Node | null): boolean {
  return value === null || (isScalar(value) && value.value === null);
}

export function columnOf(text: string, offset: number): number {
  return offset - lineStartAt(text, offset);
}

export function columnOfParts(text: string, node: Collection): number {
  return columnOf(text, partsOf(node)[0]?.start ?? startOf(node));
}

/** How the file is laid out already; `style` fills in what it does not show. */
export function layoutOf(text: string, contents: Node | null, style: TextStyle): YamlLayout {
  const fallback = /^ +$/.test(style.indent) ? style.indent.length : 2;
  const layout = { mapIndent: 0, listIndent: -1, lists: 'block' };
  let plainLists = 0;
  const look = (value: unknown, column: number): void => {
    if (!isCollection(value) || isFlow(value) || value.items.length === 0) return;
    const indent = columnOfParts(text, value) - column;
    if (isMap(value) && layout.mapIndent === 0 && indent > 0) layout.mapIndent = indent;
    if (isSeq(value) && layout.listIndent === -1 && indent >= 0) layout.listIndent = indent;
  };
  visit(contents, {
    Map: (_, node) => {
      if (isFlow(node)) return;
      const column = columnOfParts(text, node);
      for (const { value } of node.items) look(value, column);
    },
    Seq: (_, node) => {
      if (plainLists > 0 || node.items.length === 0 || !node.items.every((item) => isScalar(item))) return;
      plainLists += 1;
      layout.lists = isFlow(node) ? 'flow' : 'block';
    },
  });
  const mapIndent = layout.mapIndent || fallback;
  return {
    eol: style.eol,
    mapIndent,
    listIndent: layout.listIndent === -1 ? mapIndent : layout.listIndent,
    lists: layout.lists === 'flow' ? 'flow' : 'block',
    json: isJson(contents),
  };
}

function isJson(contents: Node | null): boolean {
  if (!isMap(contents) || !isFlow(contents)) return false;
  const key = contents.items[0]?.key;
  return isScalar(key) && key.type === 'QUOTE_DOUBLE';
}
