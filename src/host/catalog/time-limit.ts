/** Validates the timeout that a caller gives a call. */

import { HoltError } from '../../kernel/errors.ts';

interface Timed {
  readonly timeoutMs?: unknown;
}

/**
 * False for 0, which leaves only the server's own limits. As everywhere in the library, null counts as left
 * out.
 */
export function hasLimit({ timeoutMs }: Timed): boolean {
  return timeoutMs !== undefined && timeoutMs !== null && timeoutMs !== 0;
}

/** Returns the limit in milliseconds. Throws `usage-invalid` if it is not a positive number. */
export function limitOf({ timeoutMs }: Timed): number {
  if (typeof timeoutMs === 'number' && timeoutMs > 0) return timeoutMs;
  // Name only the type of other values, because they may hold secrets.
  const found = typeof timeoutMs === 'number' ? String(timeoutMs) : `a ${typeof timeoutMs}`;
  throw new HoltError(
    'usage-invalid',
    `timeoutMs must be a number of milliseconds, 0 for no limit of its own, but is ${found}`,
    { given: found },
    { remedy: 'For example timeoutMs: 30000.' },
  );
}
