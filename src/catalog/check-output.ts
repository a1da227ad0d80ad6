/** Does a result's structured content keep what its tool's `outputSchema` promised? */

import { walkThrough } from './schemas/check.ts';

/** One line for each mismatch, or one that nobody can tell; none when it fits, or when the schema says nothing. */
export function checkOutput(schema: unknown, structured: unknown): readonly string[] {
  const first = walkThrough(schema, structured);
  const fits = first.check(schema, structured);
  if (first.stopped !== undefined) return [`the schema ${first.stopped}, so the result was not checked`];
  if (fits) return [];
  const walk = walkThrough(schema, structured);
  walk.failures = [];
  walk.check(schema, structured);
  return walk.failures.map(({ path, expected }) => `${path}: expected ${expected}`);
}
