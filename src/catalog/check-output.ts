/** Checks a result's structured content against the tool's `outputSchema`. */

import type { MaybePromise } from '../kernel/type-tools.ts';
import { walkThrough } from './schemas/check.ts';
import { chain } from './schemas/loops.ts';
import type { Failure, Pause } from './schemas/walk.ts';

/**
 * Returns one line for each mismatch, or one line when the check could not be completed; none when the result
 * fits. Returns a promise only when the check takes long; it then calls `pause` from time to time. Without
 * `pause` it is always synchronous.
 */
export function checkOutput(
  schema: unknown,
  structured: unknown,
  pause: Pause,
): MaybePromise<readonly string[]>;
export function checkOutput(schema: unknown, structured: unknown): readonly string[];
export function checkOutput(
  schema: unknown,
  structured: unknown,
  pause?: Pause,
): MaybePromise<readonly string[]> {
  const walk = walkThrough(schema, structured, pause);
  return chain(walk.check(schema, structured), (fits) => {
    if (walk.stopped !== undefined) return [`the schema ${walk.stopped}, so the result was not checked`];
    return fits ? [] : explain(schema, structured, pause);
  });
}

function explain(
  schema: unknown,
  structured: unknown,
  pause: Pause | undefined,
): MaybePromise<readonly string[]> {
  const walk = walkThrough(schema, structured, pause);
  const failures: Failure[] = [];
  walk.failures = failures;
  return chain(walk.check(schema, structured), () =>
    // Explaining takes more work than checking, so the budget may be used up before a reason is found.
    failures.length === 0
      ? ['(root): expected something else']
      : failures.map(({ path, expected }) => `${path}: expected ${expected}`),
  );
}
