/** Edits JSON and JSONC by splices: nothing but the entry itself changes in the text. */

import type { JsonValue } from '../../kernel/json.ts';
import { EditRefusal, insertAt, nest, pathText, type Edit, type Path, type Splice } from '../edit.ts';
import { parseJson } from '../json.ts';
import { indentAt, isBlank, isFirstOnLine, type TextStyle } from '../text-style.ts';
import type { ArrayNode, DocNode, ObjectNode, ParsedDocument } from '../tree.ts';
import { insertElement, removeElement, type CommaList, type ListStyle } from './comma-list.ts';
import type { EditTools } from './edit-text.ts';
import { printJson, type JsonLayout } from './print-value.ts';

export const jsonTools: EditTools = {
  parse: (text) => parseJson(text, { bom: false, utf16: false }),
  splice: spliceJson,
  losesEmpty: false,
};

function spliceJson(document: ParsedDocument, edit: Edit, style: TextStyle): Splice[] {
  const page = { text: document.text, layout: layoutOf(document, style), oneLine: isOneLine(document) };
  if (edit.kind === 'insert' || edit.kind === 'append') return add(page, document.root, edit);

  const container = walk(document.root, edit.path);
  if (container.rest.length > 0 || container.node === undefined)
    throw new EditRefusal(`there is no ${pathText(edit.path)}`);
  const { node, index } = findElement(container.node, edit);
  if (edit.kind === 'remove') return removeElement(commaList(page.text, node), index);
  return replace(page, node, { index, value: edit.value });
}

interface Page {
  readonly text: string;
  readonly layout: JsonLayout;
  readonly oneLine: boolean;
}

type Container = ObjectNode | ArrayNode;

/** Follows the path as far as it exists. Takes the last of duplicate keys; null has no children. */
function walk(root: DocNode | undefined, path: Path): { node: DocNode | undefined; rest: Path } {
  let node = root;
  for (const [index, key] of path.entries()) {
    const child = node === undefined ? undefined : childOf(node, key);
    if (child === undefined) return { node, rest: path.slice(index) };
    node = child;
  }
  return { node, rest: [] };
}

function childOf(node: DocNode, key: string | number): DocNode | undefined {
  if (typeof key === 'number') return node.kind === 'array' ? node.items[key] : undefined;
  return node.kind === 'object' ? node.entries.findLast((entry) => entry.key === key)?.value : undefined;
}

function findElement(
  node: DocNode,
  { path, key }: { path: Path; key: string | number },
): { node: Container; index: number } {
  const index =
    node.kind === 'object'
      ? node.entries.findLastIndex((entry) => entry.key === key)
      : node.kind === 'array' && typeof key === 'number' && key < node.items.length
        ? key
        : -1;
  if (index === -1 || (node.kind !== 'object' && node.kind !== 'array')) {
    throw new EditRefusal(`there is no ${pathText([...path, key])}`);
  }
  return { node, index };
}

function add(page: Page, root: DocNode | undefined, edit: Edit & { kind: 'insert' | 'append' }): Splice[] {
  const { node, rest } = walk(root, edit.path);
  const value = edit.kind === 'insert' ? nest([edit.key], edit.value) : [edit.value];
  if (node === undefined) return newDocument(page, nest(rest, value));
  if (node.kind === 'null') return [replaceNode(page, node, nest(rest, value))];
  const [first, ...below] = rest;
  if (first === undefined && edit.kind === 'append') return addItem(page, node, edit);
  if (node.kind !== 'object')
    throw new EditRefusal(`${pathText(edit.path.slice(0, edit.path.length - rest.length))} is not an object`);
  if (typeof first === 'number') throw new EditRefusal(`there is no ${pathText(edit.path)}`);
  if (first !== undefined) return addEntry(page, node, { key: first, value: nest(below, value) });
  return edit.kind === 'insert' ? addEntry(page, node, edit) : [];
}

function addEntry(page: Page, node: ObjectNode, { key, value }: { key: string; value: JsonValue }): Splice[] {
  const print = (indent: string | undefined): string =>
    `${JSON.stringify(key)}:${page.layout.gap}${printJson(value, page.layout, indent)}`;
  return insertElement(commaList(page.text, node), print, listStyle(page, node));
}

function addItem(page: Page, node: DocNode, { path, value }: { path: Path; value: JsonValue }): Splice[] {
  if (node.kind !== 'array') throw new EditRefusal(`${pathText(path)} is not a list`);
  const print = (indent: string | undefined): string => printJson(value, page.layout, indent);
  return insertElement(commaList(page.text, node), print, listStyle(page, node));
}

function newDocument({ text, layout }: Page, value: JsonValue): Splice[] {
  const body = printJson(value, layout, '') + layout.eol;
  if (isBlank(text)) return [{ start: 0, end: text.length, text: body }];
  return [insertAt(text.length, text.endsWith('\n') ? body : layout.eol + body)];
}

function replace(
  page: Page,
  node: Container,
  { index, value }: { index: number; value: JsonValue },
): Splice[] {
  const { start } = elementsOf(node)[index] ?? node;
  const old = node.kind === 'object' ? node.entries[index]?.value : node.items[index];
  return [replaceNode(page, old ?? node, value, start)];
}

/**
 * `from` is where the element around the value begins.
 * If that is at the start of a line, the value may span lines.
 */
function replaceNode(page: Page, node: DocNode, value: JsonValue, from = node.start): Splice {
  const { text, layout, oneLine } = page;
  const inLine = oneLine || !(isFirstOnLine(text, from) || from === node.start);
  return {
    start: node.start,
    end: node.end,
    text: printJson(value, layout, inLine ? undefined : indentAt(text, from)),
  };
}

function commaList(text: string, node: Container): CommaList {
  return { text, open: node.start + 1, close: node.end - 1, elements: elementsOf(node), comments: 'slash' };
}

function elementsOf(node: Container): { start: number; end: number }[] {
  if (node.kind === 'array') return node.items.map(({ start, end }) => ({ start, end }));
  return node.entries.map(({ keyStart, value }) => ({ start: keyStart, end: value.end }));
}

function listStyle({ text, layout, oneLine }: Page, node: Container): ListStyle {
  const [first, second] = elementsOf(node);
  const between =
    first === undefined || second === undefined ? undefined : text.slice(first.end, second.start);
  const gap = between === ',' ? '' : between === undefined ? layout.gap : ' ';
  return { eol: layout.eol === '\r\n' ? '\r\n' : '\n', indent: layout.indent, gap, oneLine };
}

/** A non-empty file that is written on one line stays on one line. */
function isOneLine({ text, root }: ParsedDocument): boolean {
  if (root?.kind !== 'object' && root?.kind !== 'array') return false;
  return elementsOf(root).length > 0 && !text.slice(root.start, root.end).includes('\n');
}

function layoutOf({ text, root }: ParsedDocument, { eol, indent }: TextStyle): JsonLayout {
  const [entry] = root?.kind === 'object' ? root.entries : [];
  const beforeValue = entry === undefined ? ' ' : text.charAt(entry.value.start - 1);
  const list = root === undefined ? undefined : firstPlainList(root);
  const block = list !== undefined && text.slice(list.start, list.end).includes('\n');
  return { eol, indent, gap: beforeValue === ':' ? '' : ' ', lists: block ? 'block' : 'line' };
}

function firstPlainList(node: DocNode): ArrayNode | undefined {
  if (node.kind === 'array') {
    const inside = node.items.filter((item) => item.kind === 'object' || item.kind === 'array');
    if (inside.length === 0) return node.items.length > 0 ? node : undefined;
    return firstOf(inside);
  }
  return node.kind === 'object' ? firstOf(node.entries.map(({ value }) => value)) : undefined;
}

function firstOf(nodes: readonly DocNode[]): ArrayNode | undefined {
  for (const node of nodes) {
    const list = firstPlainList(node);
    if (list !== undefined) return list;
  }
  return undefined;
}
