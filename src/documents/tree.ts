/**
 * Represents a config file as a tree with offsets.
 * All formats parse to this tree, so readers do not depend on the format.
 */

import type { JsonMap, JsonValue } from '../kernel/json.ts';

interface Span {
  /** Offsets into the text, end exclusive. */
  readonly start: number;
  readonly end: number;
}

export interface ObjectEntry {
  readonly key: string;
  /** Offset where the key begins. An origin's line and column point here. */
  readonly keyStart: number;
  readonly value: DocNode;
}

/** Entries in the order they are written. A key that is written twice appears twice. */
export type ObjectNode = Span & { readonly kind: 'object'; readonly entries: readonly ObjectEntry[] };
export type ArrayNode = Span & { readonly kind: 'array'; readonly items: readonly DocNode[] };
export type StringNode = Span & { readonly kind: 'string'; readonly value: string };
export type NumberNode = Span & { readonly kind: 'number'; readonly value: number };
export type BooleanNode = Span & { readonly kind: 'boolean'; readonly value: boolean };
export type NullNode = Span & { readonly kind: 'null' };
export type DocNode = ObjectNode | ArrayNode | StringNode | NumberNode | BooleanNode | NullNode;

export type DocFormat = 'json' | 'toml' | 'yaml';

/** How the bytes of a text were written, and how many parts may be parsed. */
export interface TextOrigin {
  readonly bom: boolean;
  readonly utf16: boolean;
  /** A TOML or YAML text with more parts is refused; each part costs its parser several microseconds. */
  readonly maxParts?: number | undefined;
}

/** Deviations from strict syntax in a text. Some agents reject a file because of one of them. */
export interface Liberties {
  readonly bom: boolean;
  readonly utf16: boolean;
  readonly comments: boolean;
  readonly trailingCommas: boolean;
}

export interface ParsedDocument {
  readonly ok: true;
  readonly text: string;
  /** Undefined if the text is empty or contains only white space and comments. */
  readonly root: DocNode | undefined;
  readonly liberties: Liberties;
}

export interface UnparsedDocument {
  readonly ok: false;
  readonly text: string;
  readonly reason: 'syntax' | 'too-deep';
  readonly message: string;
  readonly offset: number;
}

export type Document = ParsedDocument | UnparsedDocument;

/** Every format refuses deeper nesting than this. */
export const maxDepth = 64;

/** Returns the value of a key; the last one if the key is written twice. */
export function get(node: DocNode | undefined, key: string): DocNode | undefined {
  if (node?.kind !== 'object') return undefined;
  for (let index = node.entries.length - 1; index >= 0; index -= 1) {
    const entry = node.entries[index];
    if (entry?.key === key) return entry.value;
  }
  return undefined;
}

/** Follows keys and indices down from a node. Returns `undefined` if one is missing. */
export function dig(node: DocNode | undefined, keys: readonly (string | number)[]): DocNode | undefined {
  let current = node;
  for (const key of keys) {
    if (typeof key === 'string') current = get(current, key);
    else current = current?.kind === 'array' ? current.items[key] : undefined;
  }
  return current;
}

/** Converts a node to its plain value. Objects have no prototype, so `__proto__` is a key like any other. */
export function toValue(node: DocNode): JsonValue {
  if (node.kind === 'array') return node.items.map(toValue);
  if (node.kind === 'null') return null;
  if (node.kind !== 'object') return node.value;
  const value: JsonMap = Object.create(null);
  for (const entry of node.entries) value[entry.key] = toValue(entry.value);
  return value;
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Returns a fast function from offset to position. Line starts are computed once, on first use. */
export function createLineIndex(text: string): (offset: number) => Position {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** What messages call each kind of value. */
export const kindNames: Readonly<Record<DocNode['kind'], string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

export class DocumentFault extends Error {
  readonly offset: number;
  readonly reason: UnparsedDocument['reason'];

  constructor(message: string, offset: number, reason: UnparsedDocument['reason'] = 'syntax') {
    super(message);
    this.offset = offset;
    this.reason = reason;
  }
}

export function tooDeep(offset: number): DocumentFault {
  return new DocumentFault(`nested deeper than ${maxDepth} levels`, offset, 'too-deep');
}

/** More parts than this take a second and hundreds of MiB to parse; no real config file comes close. */
const usualMaxParts = 100_000;

export function refuseParts(parts: number, offset: number, maxParts = usualMaxParts): void {
  if (parts > maxParts) throw new DocumentFault(`made of more than ${maxParts} parts`, offset);
}

/**
 * Returns the document for a text that caused `fault`.
 * Rethrows anything but a `DocumentFault`, which is a bug.
 */
export function unparsed(text: string, fault: unknown): UnparsedDocument {
  if (!(fault instanceof DocumentFault)) throw fault;
  return { ok: false, text, reason: fault.reason, message: fault.message, offset: fault.offset };
}
