/**
 * Names in schemas and arguments: the names and strings of a schema, cached, and the path to a value as text.
 */

import { isList, type JsonObject, stringsIn } from '../../kernel/json.ts';

const knownNames = new WeakMap<JsonObject, readonly string[]>();

/**
 * Cached, because schemas never change after they are read, and a large one may be referenced many times.
 * Calls `onRead` when the cache has no answer.
 */
export function schemaNames(schema: JsonObject, onRead?: (names: number) => void): readonly string[] {
  const known = knownNames.get(schema);
  if (known !== undefined) return known;
  const names = Object.keys(schema);
  onRead?.(names.length);
  knownNames.set(schema, names);
  return names;
}

const knownStrings = new WeakMap<readonly unknown[], ReadonlySet<string>>();

/** Returns the strings in a list of a schema. Cached as well. */
export function schemaStrings(list: unknown): ReadonlySet<string> {
  if (!isList(list)) return new Set();
  const strings = knownStrings.get(list) ?? new Set(stringsIn(list));
  knownStrings.set(list, strings);
  return strings;
}

const maxLength = 200;

export function pathText(path: readonly (string | number)[]): string {
  if (path.length === 0) return '(root)';
  let text = '';
  for (const part of path) {
    // Escape only the part of a long name that is shown.
    const key = typeof part === 'number' ? part : part.slice(0, maxLength + 1);
    if (typeof key === 'number') text += `[${key}]`;
    else if (!/^[\p{L}\p{N}_$-]+$/u.test(key)) text += `[${JSON.stringify(key)}]`;
    else text += text === '' ? key : `.${key}`;
    if (text.length > maxLength) return `${text.slice(0, maxLength)}…`;
  }
  return text;
}
