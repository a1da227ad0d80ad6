/**
 * Checks arguments against a tool's schema, and repairs small mistakes of a model when the schema leaves no
 * doubt.
 */

import { isObject, type JsonObject } from '../kernel/json.ts';
import { walkThrough } from './schemas/check.ts';
import { after, runSteps, settle, type Later, type Steps } from './schemas/later.ts';
import { mend } from './schemas/mend.ts';
import { notJson, tooManyLevels } from './schemas/not-json.ts';
import type { Pause, Walk } from './schemas/walk.ts';

export { notJson } from './schemas/not-json.ts';

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
export function checkArguments(schema: unknown, args: unknown, pause: Pause): Later<CheckedArguments>;
export function checkArguments(schema: unknown, args: unknown): CheckedArguments;
export function checkArguments(schema: unknown, args: unknown, pause?: Pause): Later<CheckedArguments> {
  const given = args === undefined ? {} : args;
  const unsendable = notJson(given);
  if (unsendable !== undefined && unsendable !== tooManyLevels)
    return { kind: 'invalid', errors: [unsendable] };
  const walk = walkThrough(schema, given, pause);
  return after(isObject(given) && walk.check(schema, given), (fits) => {
    if (walk.stopped !== undefined) return unchecked(walk.stopped);
    if (unsendable !== undefined) return { kind: 'invalid', errors: [unsendable] };
    if (fits && isObject(given)) return valid(given, [], walk);
    return runSteps(refuse(schema, given, pause));
  });
}

function* refuse(schema: unknown, given: unknown, pause: Pause | undefined): Steps<CheckedArguments> {
  return (yield* repaired(schema, given, pause)) ?? (yield* invalid(schema, given, pause));
}

/**
 * Taken from the budget of a repair, which is optional and worth less work than the check. Large arguments
 * still earn more steps.
 */
const stepsNotForRepair = 15_000;

function* repaired(
  schema: unknown,
  given: unknown,
  pause: Pause | undefined,
): Steps<CheckedArguments | undefined> {
  const walk = walkThrough(schema, given, pause);
  walk.stepsLeft -= stepsNotForRepair;
  const { value, notes } = yield* settle(mend(schema, given, walk));
  if (notes.length === 0 || walk.stopped !== undefined || !isObject(value)) return undefined;
  const fits = yield* settle(walk.check(schema, value));
  return fits && walk.stopped === undefined ? valid(value, notes, walk) : undefined;
}

function* invalid(schema: unknown, given: unknown, pause: Pause | undefined): Steps<CheckedArguments> {
  const walk = walkThrough(schema, given, pause);
  const failures: ArgumentError[] = [];
  walk.failures = failures;
  if (isObject(given)) yield* settle(walk.check(schema, given));
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
