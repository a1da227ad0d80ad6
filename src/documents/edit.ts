/** Shared types and helpers for editing: requests, results and the splices in between. */

import { isObject, type JsonMap, type JsonValue } from '../kernel/json.ts';

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

/** Returns the value that the edited text must have. Throws an `EditRefusal` if the edit is not possible. */
export function editValue(value: JsonValue | undefined, edit: Edit): JsonValue {
  return changeAt(value, edit.path, (container) => {
    if (edit.kind === 'append') return [...listOr(container, edit.path), edit.value];
    if (typeof edit.key === 'number') return changeItem(container, edit.key, edit);
    return changeEntry(container, edit.key, edit);
  });
}

function changeEntry(container: JsonValue | undefined, key: string, edit: Edit): JsonValue {
  const map = mapOr(container, edit.path);
  const name = pathText([...edit.path, key]);
  if (edit.kind === 'insert' && Object.hasOwn(map, key)) throw new EditRefusal(`${name} already exists`);
  if (edit.kind !== 'insert' && !Object.hasOwn(map, key)) throw new EditRefusal(`there is no ${name}`);
  if (edit.kind === 'remove') delete map[key];
  else map[key] = edit.value;
  return map;
}

function changeItem(container: JsonValue | undefined, index: number, edit: Edit): JsonValue {
  const list = listOr(container, edit.path);
  if (index < 0 || index >= list.length)
    throw new EditRefusal(`there is no ${pathText([...edit.path, index])}`);
  return edit.kind === 'remove' ? list.toSpliced(index, 1) : list.with(index, edit.value);
}

function changeAt(
  value: JsonValue | undefined,
  path: Path,
  change: (container: JsonValue | undefined) => JsonValue,
): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  if (typeof key === 'number') {
    if (!Array.isArray(value) || !(key in value)) throw new EditRefusal(`there is no item ${key}`);
    return value.with(key, changeAt(value[key], rest, change));
  }
  const map = mapOr(value, [key]);
  map[key] = changeAt(Object.hasOwn(map, key) ? map[key] : undefined, rest, change);
  return map;
}

/** Returns a copy. Null counts as an empty map, because a YAML key without a value is null. */
function mapOr(value: JsonValue | undefined, path: Path): JsonMap {
  if (value !== undefined && value !== null && !isObject(value))
    throw new EditRefusal(`${pathText(path)} holds no entries`);
  const copy: JsonMap = Object.create(null);
  return Object.assign(copy, value);
}

function listOr(value: JsonValue | undefined, path: Path): JsonValue[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new EditRefusal(`${pathText(path)} is not a list`);
  return value;
}

/** Compares two values and ignores the order of keys. */
export function sameValue(a: JsonValue, b: JsonValue): boolean {
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((item, index) => sameValue(item, b[index] ?? null))
    );
  }
  if (!isObject(a)) return a === b || (Number.isNaN(a) && Number.isNaN(b));
  if (!isObject(b) || Object.keys(a).length !== Object.keys(b).length) return false;
  return Object.entries(a).every(([key, item]) => Object.hasOwn(b, key) && sameValue(item, b[key] ?? null));
}

/** Removes empty maps and lists along `path`: in TOML, a table disappears with its last entry. */
export function withoutEmpty(value: JsonValue, path: Path): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(value) && typeof key === 'number' && key in value) {
    return value.with(key, withoutEmpty(value[key] ?? null, rest));
  }
  if (!isObject(value) || !Object.hasOwn(value, key)) return value;
  const map = mapOr(value, []);
  const inner = withoutEmpty(map[key] ?? null, rest);
  if (isEmpty(inner)) delete map[key];
  else map[key] = inner;
  return map;
}

function isEmpty(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/**
 * Splits the replacement of one map by another into changes of single fields, so that comments inside the map
 * remain. New fields come first, so that the map is never empty in between.
 */
export function fieldSteps(old: JsonValue | undefined, edit: Edit & { kind: 'replace' }): Edit[] {
  const { value } = edit;
  if (old !== undefined && sameValue(old, value)) return [];
  if (!isObject(old) || !isObject(value)) return [edit];
  const path = [...edit.path, edit.key];
  const steps: Edit[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (Object.hasOwn(old, key))
      steps.push(...fieldSteps(old[key], { kind: 'replace', path, key, value: item }));
    else steps.push({ kind: 'insert', path, key, value: item });
  }
  for (const key of Object.keys(old))
    if (!Object.hasOwn(value, key)) steps.push({ kind: 'remove', path, key });
  return steps;
}
