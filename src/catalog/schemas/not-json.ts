/** What JSON has no word for, found before anything is sent: it would be lost on the way, changed, or stop the whole message. */

import { pathText } from './path-text.ts';
import type { Failure } from './walk.ts';

/** The first place that cannot be sent as it is. Fields that are undefined were left out. */
export function notJson(value: unknown): Failure | undefined {
  // Nearly always all is well, and finding that out leaves nothing to clear away.
  if (isPlain(value, 0)) return undefined;
  try {
    return find(value, [], new Set());
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return tooManyLevels;
  }
}

/** It may all be JSON; nobody can follow it to its end. */
export const tooManyLevels: Failure = { path: '(root)', expected: 'fewer levels' };

/** Deeper than this somebody looks for circles. */
const deep = 100;

/** False also for what has to be looked at more closely. */
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
    const field = (value as Record<string, unknown>)[name]; // one of its own
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

/** For a value that is not looked into; undefined when it can be sent. */
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

/** Dates and the like say themselves how they are written. */
function isWritable(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
