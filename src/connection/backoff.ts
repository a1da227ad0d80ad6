/** Computes when to restart a server after a failure, and when to give up. */

export interface BackoffOptions {
  readonly firstMs?: number;
  readonly longestMs?: number;
  readonly maxTries?: number;
  /** Attempts older than this no longer count. */
  readonly windowMs?: number;
  /** Returns a number from 0 to 1. */
  readonly random?: () => number;
}

export interface Backoff {
  /** Milliseconds to wait before the next attempt; undefined after `maxTries` attempts within the window. */
  next(at: number, retryAfterMs?: number): number | undefined;
  /** Forgets all earlier attempts. For a start that a caller requests. */
  reset(): void;
}

/** Upper limit for a delay that the server requests, before jitter. */
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
      // Do not retry before the time that the server requested.
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
