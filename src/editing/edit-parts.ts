/** What editing needs from outside. */

import type { Machine } from '../kernel/machine.ts';
import type { Files } from '../platform/files.ts';
import type { LockOptions } from '../platform/lock.ts';

export interface EditParts {
  readonly machine: Machine;
  readonly files: Files;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long to wait for others who write the same file; half a minute when left out. */
  readonly lockTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

export function lockOptions({ machine, lockTimeoutMs = 30_000, signal }: EditParts): LockOptions {
  const { os, holtHome } = machine;
  return { os, holtHome, timeoutMs: lockTimeoutMs, ...(signal === undefined ? {} : { signal }) };
}
