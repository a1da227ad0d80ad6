/** Tracks servers that asked their clients to wait. No request is sent to them before that time. */

import type { Clock } from '../platform/clock.ts';

export interface WaitingList {
  /** How many milliseconds to wait before the next request to `key`; 0 if none. */
  remainingMs(key: string): number;
  hold(key: string, ms: number): void;
}

export function createWaitingList(clock: Clock): WaitingList {
  const until = new Map<string, number>();
  return {
    remainingMs: (key) => {
      const remaining = (until.get(key) ?? 0) - clock.now();
      if (remaining <= 0) until.delete(key);
      return Math.max(0, remaining);
    },
    hold: (key, ms) => void until.set(key, clock.now() + ms),
  };
}
