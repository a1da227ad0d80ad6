/** Are these the arguments a tool asks for? What a model got slightly wrong is repaired when the schema leaves no doubt. */

import { walkThrough } from './schemas/check.ts';
import { isJsonObject } from './schemas/json.ts';
import { mend } from './schemas/mend.ts';
import { notJson, tooManyLevels } from './schemas/not-json.ts';
import type { Walk } from './schemas/walk.ts';
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

/** Checks against the schema as the server wrote it. Defaults are not filled in: leaving out is the caller's word. */
export function checkArguments(schema: unknown, args: unknown): CheckedArguments {
  const given = args === undefined ? {} : args;
  const unsendable = notJson(given);
  if (unsendable !== undefined && unsendable !== tooManyLevels)
    return { kind: 'invalid', errors: [unsendable] };
  const walk = walkThrough(schema, given);
  const fits = isJsonObject(given) && walk.check(schema, given);
  if (walk.stopped !== undefined) return unchecked(walk.stopped);
  if (unsendable !== undefined) return { kind: 'invalid', errors: [unsendable] };
  if (fits) return valid(given, [], walk);
  return repaired(schema, given) ?? invalid(schema, given);
}

/** A repair is a kindness, worth less work than the answer; what large arguments need they still get. */
const stepsNotForRepair = 15_000;

function repaired(schema: unknown, given: unknown): CheckedArguments | undefined {
  const walk = walkThrough(schema, given);
  walk.stepsLeft -= stepsNotForRepair;
  const mended = mend(schema, given, walk);
  if (mended.notes.length === 0 || walk.stopped !== undefined) return undefined;
  if (!isJsonObject(mended.value) || !walk.check(schema, mended.value)) return undefined;
  return walk.stopped === undefined ? valid(mended.value, mended.notes, walk) : undefined;
}

function invalid(schema: unknown, given: unknown): CheckedArguments {
  const walk = walkThrough(schema, given);
  walk.failures = [];
  if (isJsonObject(given)) walk.check(schema, given);
  else walk.failures.push({ path: '(root)', expected: 'object' });
  if (walk.failures.length === 0) walk.failures.push({ path: '(root)', expected: 'something else' });
  return { kind: 'invalid', errors: walk.failures };
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
