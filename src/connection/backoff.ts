/** When to try again after a server went away, and when to give up. */

export interface BackoffOptions {
  readonly firstMs?: number;
  readonly longestMs?: number;
  readonly maxTries?: number;
  /** Tries older than this no longer count. */
  readonly windowMs?: number;
  /** Between 0 and 1. */
  readonly random?: () => number;
}

export interface Backoff {
  /** How long to wait before the next try; undefined when there have been too many. */
  next(at: number, retryAfterMs?: number): number | undefined;
  /** A person asked: everything before is forgotten. */
  reset(): void;
}

/** However long a server asks for, it is asked again after this. */
const longestRetryAfterMs = 300_000;
const jitter = 0.2;

export function createBackoff(options: BackoffOptions = {}): Backoff {
  const {
    firstMs = 500,
    longestMs = 30_000,
    maxTries = 5,
    windowMs = 300_000,
    random = Math.random,
  } = options;
  let tries: readonly number[] = [];
  return {
    next: (at, retryAfterMs) => {
      tries = tries.filter((tried) => at - tried < windowMs);
      if (tries.length >= maxTries) return undefined;
      const usual = Math.min(longestMs, firstMs * 2 ** tries.length) * (1 - jitter + 2 * jitter * random());
      // Never before the time that the server named.
      const asked =
        retryAfterMs === undefined
          ? 0
          : Math.min(retryAfterMs, longestRetryAfterMs) * (1 + jitter * random());
      const wait = Math.max(usual, asked);
      tries = [...tries, at + wait];
      return wait;
    },
    reset: () => {
      tries = [];
    },
  };
}
