/** The one JSON vocabulary: types of JSON values, and checks of values whose shape is not known yet. */

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonMap;

/** An object that is built up as JSON. */
export interface JsonMap {
  [key: string]: JsonValue;
}

/** An object whose fields have not been checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The types that a JSON Schema can name. */
export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/** True for an object that is neither an array nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Returns the strings in a list, without items of other types. */
export function stringsIn(value: unknown): readonly string[] {
  return isList(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Parses text that must be one JSON object. Returns undefined for anything else. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads own fields only: an object may name `constructor` or `__proto__`, and inherited fields are not part of it. */
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
