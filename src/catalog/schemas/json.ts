/** Inspects JSON values from untrusted sources. */

import type { JsonObject } from '../tool-info.ts';

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function stringsIn(value: unknown): readonly string[] {
  return isList(value) ? value.filter((item) => typeof item === 'string') : [];
}

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

/**
 * Reads own fields only: a schema may name `constructor` or `__proto__`, and inherited fields are not part of
 * it.
 */
export function fieldOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets a field of any name; plain assignment to `__proto__` would change the prototype. */
export function putField(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

const plainTypes: Readonly<Record<string, JsonType>> = { string: 'string', boolean: 'boolean' };

export function jsonTypeOf(value: unknown): JsonType | 'none' {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value !== 'object') return plainTypes[typeof value] ?? 'none';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : 'object';
}
