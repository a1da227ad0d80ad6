/**
 * Reads the names and lists of a schema. Cached, because a schema never changes after it is read, and a large
 * one may be referenced many times.
 */

import { isList, type JsonObject, stringsIn } from '../../kernel/json.ts';

const knownNames = new WeakMap<JsonObject, readonly string[]>();

/** Calls `onRead` when the cache has no answer. */
export function schemaNames(schema: JsonObject, onRead?: (names: number) => void): readonly string[] {
  const known = knownNames.get(schema);
  if (known !== undefined) return known;
  const names = Object.keys(schema);
  onRead?.(names.length);
  knownNames.set(schema, names);
  return names;
}

const knownStrings = new WeakMap<readonly unknown[], ReadonlySet<string>>();

/** Returns the strings in a list of a schema. */
export function schemaStrings(list: unknown): ReadonlySet<string> {
  if (!isList(list)) return new Set();
  const strings = knownStrings.get(list) ?? new Set(stringsIn(list));
  knownStrings.set(list, strings);
  return strings;
}
