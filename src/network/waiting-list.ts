/** Servers that asked us to wait: until then nothing is sent to them, by whomever. */

import type { Clock } from '../platform/clock.ts';

export interface WaitingList {
  /** How long `key` still has to be left alone; 0 when it may be asked. */
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
