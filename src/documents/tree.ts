/** A config file as a tree that knows where each thing stands. All formats become this, so that readers need not care. */

interface Span {
  /** Offsets into the text, end exclusive. */
  readonly start: number;
  readonly end: number;
}

export interface ObjectEntry {
  readonly key: string;
  /** Offset where the key begins: what an origin's line and column point at. */
  readonly keyStart: number;
  readonly value: DocNode;
}

/** Entries in the order they are written; a key written twice is there twice. */
export type ObjectNode = Span & { readonly kind: 'object'; readonly entries: readonly ObjectEntry[] };
export type ArrayNode = Span & { readonly kind: 'array'; readonly items: readonly DocNode[] };
export type StringNode = Span & { readonly kind: 'string'; readonly value: string };
export type NumberNode = Span & { readonly kind: 'number'; readonly value: number };
export type BooleanNode = Span & { readonly kind: 'boolean'; readonly value: boolean };
export type NullNode = Span & { readonly kind: 'null' };
export type DocNode = ObjectNode | ArrayNode | StringNode | NumberNode | BooleanNode | NullNode;

export type DocFormat = 'json' | 'toml' | 'yaml';

/** How the bytes of a text were written, and how long its parsing may take. */
export interface TextOrigin {
  readonly bom: boolean;
  readonly utf16: boolean;
  /** A TOML or YAML text of more parts is refused; such a part costs its parser several microseconds. */
  readonly maxParts?: number | undefined;
}

/** Liberties a text takes. Some agents refuse a file for one of them. */
export interface Liberties {
  readonly bom: boolean;
  readonly utf16: boolean;
  readonly comments: boolean;
  readonly trailingCommas: boolean;
}

export interface ParsedDocument {
  readonly ok: true;
  readonly text: string;
  /** Undefined when the text is empty or holds only white space and comments. */
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

/** Deeper nesting than this is refused in every format. */
export const maxDepth = 64;

/** The value of a key, the last one if it is written twice. */
export function get(node: DocNode | undefined, key: string): DocNode | undefined {
  if (node?.kind !== 'object') return undefined;
  for (let index = node.entries.length - 1; index >= 0; index -= 1) {
    const entry = node.entries[index];
    if (entry?.key === key) return entry.value;
  }
  return undefined;
}

/** Walks down keys; undefined as soon as one is missing. */
export function dig(node: DocNode | undefined, keys: readonly string[]): DocNode | undefined {
  let current = node;
  for (const key of keys) current = get(current, key);
  return current;
}

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** The plain value. Objects have no prototype, so `__proto__` is a key like any other. */
export function toValue(node: DocNode): JsonValue {
  if (node.kind === 'array') return node.items.map(toValue);
  if (node.kind === 'null') return null;
  if (node.kind !== 'object') return node.value;
  const value: { [key: string]: JsonValue } = Object.create(null);
  for (const entry of node.entries) value[entry.key] = toValue(entry.value);
  return value;
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Finds positions quickly when many are asked for; the line starts are counted once, on first use. */
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
