/** Lists the entries and items of a YAML collection with the offsets that editing needs. */

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
import type { YamlLayout } from './print-value.ts';

export type Collection = YAMLMap | YAMLSeq;

export interface Part {
  /** Undefined for an item of a list. */
  readonly key: string | undefined;
  /** Where it begins: at the key, its anchor or tag, or the dash. */
  readonly start: number;
  /** Where its value ends; without a value, where its colon or dash ends. */
  readonly end: number;
  /**
   * Offset after the colon or dash and any anchor or tag.
   * A value on the same line would go here, after a space.
   */
  readonly attach: number;
  /** The text before a value at `attach`: a space, or a colon and a space if the colon is not written yet. */
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

/** Returns the tokens of the items, without a last token that has only a comma or a comment. */
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

/**
 * Returns the key as the tree spells it.
 * Returns `undefined` for a collection, which cannot be edited as a key.
 */
function keyText(key: Node | null): string | undefined {
  if (!isScalar(key)) return key === null ? '' : undefined;
  return typeof key.value === 'string' ? key.value : (key.source ?? '');
}

/** Returns where a value ends. A block collection ends with its last part, not with the comments after it. */
export function contentEnd(value: Node | null): number {
  if (value === null || isEmptyText(value)) return 0;
  if (isAlias(value) || isScalar(value) || isFlow(value)) return endOf(value);
  return partsOf(value).at(-1)?.end ?? endOf(value);
}

/** True for a value that has no text in the file. */
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

/** Detects the layout of the file; `style` provides what the file does not show. */
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
