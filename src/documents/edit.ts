/** Shared types and helpers for editing: requests, results and the splices in between. */

import type { JsonMap, JsonValue } from '../kernel/json.ts';

/** Map keys and list indexes from the root down. A key that contains dots is one element. */
export type Path = readonly (string | number)[];

/**
 * `insert` adds an entry to a map and `append` adds an item to a list; both create what is missing on the
 * path. `replace` and `remove` need an entry or item that exists.
 */
export type Edit =
  | { readonly kind: 'insert'; readonly path: Path; readonly key: string; readonly value: JsonValue }
  | { readonly kind: 'append'; readonly path: Path; readonly value: JsonValue }
  | {
      readonly kind: 'replace';
      readonly path: Path;
      readonly key: string | number;
      readonly value: JsonValue;
    }
  | { readonly kind: 'remove'; readonly path: Path; readonly key: string | number };

export type EditResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** Thrown when an edit is not possible. The message is the reason, written for users. */
export class EditRefusal extends Error {
  /** True if no other way of making the edit may be tried. */
  readonly isFinal: boolean;

  constructor(message: string, options: { readonly isFinal: boolean } = { isFinal: false }) {
    super(message);
    this.isFinal = options.isFinal;
  }
}

export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function insertAt(offset: number, text: string): Splice {
  return { start: offset, end: offset, text };
}

export function cut(start: number, end: number): Splice {
  return { start, end, text: '' };
}

/** Splices at the same offset are applied in the order given. They must not overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = '';
  let copied = 0;
  for (const splice of splices.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(copied, splice.start) + splice.text;
    copied = splice.end;
  }
  return result + text.slice(copied);
}

/** Wraps `value` in one map per key. */
export function nest(keys: Path, value: JsonValue): JsonValue {
  let nested = value;
  for (const key of keys.toReversed()) {
    if (typeof key === 'number') throw new EditRefusal(`there is no item ${key}`);
    const map: JsonMap = Object.create(null);
    map[key] = nested;
    nested = map;
  }
  return nested;
}

/** Formats a path for users: `mcpServers.docs`, `list[2]`. */
export function pathText(path: Path): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  return text === '' ? 'the file' : `"${text.replace(/^\./, '')}"`;
}
