/**
 * Finds what JSON cannot represent before anything is sent: it would be lost or changed on the way, or
 * prevent the whole message.
 */

import { pathText } from './path-text.ts';
import type { Failure } from './walk.ts';

/**
 * Returns the first place that cannot be sent as it is. Undefined fields are ignored, because JSON omits
 * them.
 */
export function notJson(value: unknown): Failure | undefined {
  // Fast path: nearly always the value is fine, and this check allocates nothing.
  if (isPlain(value, 0)) return undefined;
  try {
    return find(value, [], new Set());
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return tooManyLevels;
  }
}

/** The value may be valid JSON, but it is nested too deeply to be checked. */
export const tooManyLevels: Failure = { path: '(root)', expected: 'fewer levels' };

/** Values that are nested more deeply than this are searched for circular references. */
const deep = 100;

/** Also returns false for values that need a closer look. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean';
  if (value === null) return true;
  if (depth > deep || 'toJSON' in value) return false;
  return Array.isArray(value) ? isPlainList(value, depth + 1) : areFieldsPlain(value, depth + 1);
}

function isPlainList(list: readonly unknown[], depth: number): boolean {
  for (const item of list) if (!isPlain(item, depth)) return false;
  return true;
}

function areFieldsPlain(value: object, depth: number): boolean {
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    const field = (value as Record<string, unknown>)[name]; // an own field
    if (field !== undefined && !isPlain(field, depth)) return false;
  }
  return true;
}

function find(value: unknown, path: (string | number)[], above: Set<object>): Failure | undefined {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) {
    const expected = expectedInstead(value);
    return expected === undefined ? undefined : { path: pathText(path), expected };
  }
  if (above.has(value)) return { path: pathText(path), expected: 'a value that does not contain itself' };
  above.add(value);
  const found = Array.isArray(value) ? findInList(value, path, above) : findInFields(value, path, above);
  above.delete(value);
  return found;
}

/** For a value that is not traversed: what should be there instead, or undefined when it can be sent. */
function expectedInstead(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'a finite number';
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return undefined;
  if (isWritable(value)) return undefined;
  return typeof value === 'bigint' ? 'number or string' : 'JSON';
}

function findInList(
  list: readonly unknown[],
  path: (string | number)[],
  above: Set<object>,
): Failure | undefined {
  for (let at = 0; at < list.length; at += 1) {
    path.push(at);
    const found = find(list[at], path, above);
    if (found !== undefined) return found;
    path.pop();
  }
  return undefined;
}

function findInFields(value: object, path: (string | number)[], above: Set<object>): Failure | undefined {
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    const field: unknown = Reflect.get(value, name);
    if (field === undefined) continue;
    path.push(name);
    const found = find(field, path, above);
    if (found !== undefined) return found;
    path.pop();
  }
  return undefined;
}

/** Whether JSON can represent the value. Dates and similar objects define that themselves. */
function isWritable(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
