/**
 * Checks arguments: that JSON can represent them, and that they fit the tool's schema. Repairs small mistakes
 * of a model when the schema leaves no doubt.
 */

import type { MaybePromise } from '../kernel/type-tools.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import { walkThrough } from './schemas/check.ts';
import { chain, runSteps, wait, type Steps } from './schemas/loops.ts';
import { type Failure, pathText, type Pause, type Walk } from './schemas/walk.ts';
import { repair } from './schemas/repair.ts';

export interface ArgumentError {
  /** For example `filter.tags[0]`, or `(root)` for the arguments as a whole. */
  readonly path: string;
  readonly expected: string;
}

export type CheckedArguments =
  | {
      readonly kind: 'valid';
      readonly value: JsonObject;
      /** One line for each change: where and what, never the value. */
      readonly repaired: readonly string[];
      /** Parts of the schema that were not checked, such as a reference that cannot be resolved. */
      readonly warnings: readonly string[];
    }
  | {
      readonly kind: 'invalid';
      readonly errors: readonly ArgumentError[];
      /**
       * Set when the check could not be completed. Says what the schema does, for example "takes too much
       * work to check".
       */
      readonly unchecked?: string;
    };

/**
 * Checks arguments against the schema as the server wrote it. Does not fill in defaults: an omitted argument
 * stays omitted. Returns a promise only when the check takes long; it then calls `pause` from time to time.
 * Without `pause` it is always synchronous.
 */
export function checkArguments(schema: unknown, args: unknown, pause: Pause): MaybePromise<CheckedArguments>;
export function checkArguments(schema: unknown, args: unknown): CheckedArguments;
export function checkArguments(
  schema: unknown,
  args: unknown,
  pause?: Pause,
): MaybePromise<CheckedArguments> {
  const sent = args === undefined ? {} : args;
  const notSendable = notJson(sent);
  if (notSendable !== undefined && notSendable !== tooManyLevels)
    return { kind: 'invalid', errors: [notSendable] };
  const walk = walkThrough(schema, sent, pause);
  return chain(isObject(sent) && walk.check(schema, sent), (fits) => {
    if (walk.stopped !== undefined) return unchecked(walk.stopped);
    if (notSendable !== undefined) return { kind: 'invalid', errors: [notSendable] };
    if (fits && isObject(sent)) return valid(sent, [], walk);
    return runSteps(repairOrReject(schema, sent, pause));
  });
}

function* repairOrReject(schema: unknown, sent: unknown, pause: Pause | undefined): Steps<CheckedArguments> {
  return (yield* tryRepair(schema, sent, pause)) ?? (yield* invalid(schema, sent, pause));
}

/**
 * Taken from the budget of a repair, which is optional and worth less work than the check. Large arguments
 * still earn more steps.
 */
const stepsNotForRepair = 15_000;

function* tryRepair(
  schema: unknown,
  sent: unknown,
  pause: Pause | undefined,
): Steps<CheckedArguments | undefined> {
  const walk = walkThrough(schema, sent, pause);
  walk.stepsLeft -= stepsNotForRepair;
  const { value, notes } = yield* wait(repair(schema, sent, walk));
  if (notes.length === 0 || walk.stopped !== undefined || !isObject(value)) return undefined;
  const fits = yield* wait(walk.check(schema, value));
  return fits && walk.stopped === undefined ? valid(value, notes, walk) : undefined;
}

function* invalid(schema: unknown, sent: unknown, pause: Pause | undefined): Steps<CheckedArguments> {
  const walk = walkThrough(schema, sent, pause);
  const failures: ArgumentError[] = [];
  walk.failures = failures;
  if (isObject(sent)) yield* wait(walk.check(schema, sent));
  else failures.push({ path: '(root)', expected: 'object' });
  if (failures.length === 0) failures.push({ path: '(root)', expected: 'something else' });
  return { kind: 'invalid', errors: failures };
}

/**
 * Arguments that could not be checked are not sent. Otherwise a schema that is too complex to check would
 * bypass the check.
 */
function unchecked(why: string): CheckedArguments {
  return {
    kind: 'invalid',
    errors: [{ path: '(root)', expected: 'a schema that can be checked' }],
    unchecked: why,
  };
}

function valid(value: JsonObject, notes: readonly string[], walk: Walk): CheckedArguments {
  return { kind: 'valid', value, repaired: notes, warnings: [...walk.warnings] };
}

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
