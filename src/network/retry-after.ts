/** Reads how long a server asks its clients to wait, and sends it no request before that time. */

import type { Clock } from '../platform/clock.ts';

/** The longest wait in milliseconds, whatever the server asks for. */
export const longestWaitMs = 5 * 60_000;

export interface RetryHeaders {
  readonly retryAfter: string | null;
  /** The server's current time: its clock and ours may differ. */
  readonly date: string | null;
}

/** Returns `undefined` if the header has no usable value; the caller then chooses its own delay. */
export function readRetryAfter({ retryAfter, date }: RetryHeaders, wallNow: number): number | undefined {
  const text = retryAfter?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(text)) return clamp(Number(text) * 1000);
  // Accept only real dates: `Date.parse` would also read "-5" or "soon 1" as some year.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return undefined;
  const at = Date.parse(text);
  if (Number.isNaN(at)) return undefined;
  const theirNow = Date.parse(date ?? '');
  return clamp(at - (Number.isNaN(theirNow) ? wallNow : theirNow));
}

function clamp(ms: number): number {
  return Math.min(Math.max(ms, 0), longestWaitMs);
}

export interface WaitingList {
  /** How many milliseconds to wait before the next request to `key`; 0 if none. */
  remainingMs(key: string): number;
  /** Holds requests for as long as the headers ask. Returns that time in milliseconds, if they name one. */
  hold(key: string, headers: RetryHeaders): number | undefined;
}

export function createWaitingList({
  clock,
  wallNow,
}: {
  readonly clock: Clock;
  readonly wallNow: () => number;
}): WaitingList {
  const until = new Map<string, number>();
  return {
    remainingMs: (key) => {
      const remaining = (until.get(key) ?? 0) - clock.now();
      if (remaining <= 0) until.delete(key);
      return Math.max(0, remaining);
    },
    hold: (key, headers) => {
      const ms = readRetryAfter(headers, wallNow());
      if (ms !== undefined) until.set(key, clock.now() + ms);
      return ms;
    },
  };
}
