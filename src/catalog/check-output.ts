/** Does a result's structured content keep what its tool's `outputSchema` promised? */

import { walkThrough } from './schemas/check.ts';

/** One line for each mismatch; none when it fits, or when the schema cannot be used. */
export function checkOutput(schema: unknown, structured: unknown): readonly string[] {
  const first = walkThrough(schema, structured);
  if (first.check(schema, structured) || first.stopped !== undefined) return [];
  const walk = walkThrough(schema, structured);
  walk.failures = [];
  walk.check(schema, structured);
  return walk.failures.map(({ path, expected }) => `${path}: expected ${expected}`);
}
