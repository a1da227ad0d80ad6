/** A clock that advances only when a test moves it. */

import type { Clock } from '../../src/platform/clock.ts';

export interface FakeClock extends Clock {
  /** Moves time on and fires what falls due, in order; between two timers everything that waits on a promise runs. */
  advance(ms: number): Promise<void>;
  /** Time passes and nothing fires, as if the program had been stopped; what fell due fires at the next `advance`. */
  freeze(ms: number): void;
  readonly pending: number;
}

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

export function createFakeClock(start = 0): FakeClock {
  let now = start;
  let timers: readonly Timer[] = [];
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    now: () => now,
    setTimer: (ms, fire) => {
      const timer: Timer = { at: now + ms, fire };
      timers = [...timers, timer];
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance: async (ms) => {
      const end = now + ms;
      for (;;) {
        await settle();
        const next = timers.filter(({ at }) => at <= end).toSorted((left, right) => left.at - right.at)[0];
        if (next === undefined) break;
        timers = timers.filter((timer) => timer !== next);
        now = Math.max(now, next.at);
        next.fire();
      }
      now = end;
      await settle();
    },
    freeze: (ms) => {
      now += ms;
    },
    get pending() {
      return timers.length;
    },
  };
}
