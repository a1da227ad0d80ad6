/** The time that a caller may give a call, looked at before anything is done with it. */

import { HoltError } from '../../kernel/errors.ts';

interface Timed {
  readonly timeoutMs?: unknown;
}

/** False for zero: then only the server's own limits hold. As everywhere in the library, what is null was left out. */
export function hasLimit({ timeoutMs }: Timed): boolean {
  return timeoutMs !== undefined && timeoutMs !== null && timeoutMs !== 0;
}

/** Throws `usage-invalid` for what is no time. */
export function limitOf({ timeoutMs }: Timed): number {
  if (typeof timeoutMs === 'number' && timeoutMs > 0) return timeoutMs;
  // Anything else than a number may hold what is nobody's to read.
  const found = typeof timeoutMs === 'number' ? String(timeoutMs) : `a ${typeof timeoutMs}`;
  throw new HoltError(
    'usage-invalid',
    `timeoutMs is ${found} where a number of milliseconds, 0 for no limit of its own, belongs`,
    { given: found },
    { remedy: 'For example timeoutMs: 30000.' },
  );
}
