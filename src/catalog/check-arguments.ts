/** Are these the arguments a tool asks for? What a model got slightly wrong is repaired when the schema leaves no doubt. */

import { walkThrough } from './schemas/check.ts';
import { isJsonObject } from './schemas/json.ts';
import { after, runSteps, settle, type Later, type Steps } from './schemas/later.ts';
import { mend } from './schemas/mend.ts';
import { notJson, tooManyLevels } from './schemas/not-json.ts';
import type { Pause, Walk } from './schemas/walk.ts';
import type { JsonObject } from './tool-info.ts';

export { notJson } from './schemas/not-json.ts';

export interface ArgumentError {
  /** As in `filter.tags[0]`; `(root)` for the arguments as a whole. */
  readonly path: string;
  readonly expected: string;
}

export type CheckedArguments =
  | {
      readonly kind: 'valid';
      readonly value: JsonObject;
      /** One line for each change: where and what, never the value. */
      readonly repaired: readonly string[];
      /** Parts of the schema that say nothing, such as a reference that leads nowhere. */
      readonly warnings: readonly string[];
    }
  | {
      readonly kind: 'invalid';
      readonly errors: readonly ArgumentError[];
      /** Set when nobody can tell whether they fit: what the schema does that cannot be followed to its end. */
      readonly unchecked?: string;
    };

/**
 * Checks against the schema as the server wrote it. Defaults are not filled in: leaving out is the caller's word. Returns a
 * promise only when the check is long: it then calls `pause` from time to time. Without `pause` it never waits.
 */
export function checkArguments(schema: unknown, args: unknown, pause: Pause): Later<CheckedArguments>;
export function checkArguments(schema: unknown, args: unknown): CheckedArguments;
export function checkArguments(schema: unknown, args: unknown, pause?: Pause): Later<CheckedArguments> {
  const given = args === undefined ? {} : args;
  const unsendable = notJson(given);
  if (unsendable !== undefined && unsendable !== tooManyLevels)
    return { kind: 'invalid', errors: [unsendable] };
  const walk = walkThrough(schema, given, pause);
  return after(isJsonObject(given) && walk.check(schema, given), (fits) => {
    if (walk.stopped !== undefined) return unchecked(walk.stopped);
    if (unsendable !== undefined) return { kind: 'invalid', errors: [unsendable] };
    if (fits && isJsonObject(given)) return valid(given, [], walk);
    return runSteps(refuse(schema, given, pause));
  });
}

function* refuse(schema: unknown, given: unknown, pause: Pause | undefined): Steps<CheckedArguments> {
  return (yield* repaired(schema, given, pause)) ?? (yield* invalid(schema, given, pause));
}

/** A repair is a kindness, worth less work than the answer; what large arguments need they still get. */
const stepsNotForRepair = 15_000;

function* repaired(
  schema: unknown,
  given: unknown,
  pause: Pause | undefined,
): Steps<CheckedArguments | undefined> {
  const walk = walkThrough(schema, given, pause);
  walk.stepsLeft -= stepsNotForRepair;
  const { value, notes } = yield* settle(mend(schema, given, walk));
  if (notes.length === 0 || walk.stopped !== undefined || !isJsonObject(value)) return undefined;
  const fits = yield* settle(walk.check(schema, value));
  return fits && walk.stopped === undefined ? valid(value, notes, walk) : undefined;
}

function* invalid(schema: unknown, given: unknown, pause: Pause | undefined): Steps<CheckedArguments> {
  const walk = walkThrough(schema, given, pause);
  const failures: ArgumentError[] = [];
  walk.failures = failures;
  if (isJsonObject(given)) yield* settle(walk.check(schema, given));
  else failures.push({ path: '(root)', expected: 'object' });
  if (failures.length === 0) failures.push({ path: '(root)', expected: 'something else' });
  return { kind: 'invalid', errors: failures };
}

/** What was not checked is not sent: a schema that nobody can follow would otherwise be a way around the check. */
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
