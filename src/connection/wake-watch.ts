/**
 * Notices that the machine slept or that this program was stopped for a while, so that a limit which ran out in its sleep
 * is not taken for a server that hangs, and a connection that may have died meanwhile is looked at before it is used.
 */

import type { Clock } from '../platform/clock.ts';

export interface WakeWatch {
  /** Milliseconds without those slept through. */
  readonly now: () => number;
  /** A timer that does not count the time slept through. */
  setTimer(ms: number, fire: () => void): () => void;
  /** How many gaps there were so far; whoever remembers a smaller number has slept since. */
  gaps(): number;
  close(): void;
}

export interface WakeParts {
  readonly clock: Clock;
  /** The time of day in milliseconds: it goes on during a sleep that the other clock does not see. */
  readonly wallNow: () => number;
  readonly tickMs?: number;
}

export function createWakeWatch({ clock, wallNow, tickMs = 2000 }: WakeParts): WakeWatch {
  // A busy moment delays a tick too; what is longer than two ticks more than expected was no busy moment.
  const tolerated = 2 * tickMs;
  let gaps = 0;
  let sleptMs = 0;
  let lastAt = clock.now();
  let lastWall = wallNow();
  let stopTicking: (() => void) | undefined;

  // Every call looks a few times, so nothing is made here that has to be cleared away.
  const look = (): number => {
    const at = clock.now();
    const wall = wallNow();
    const passed = at - lastAt;
    const drift = Math.abs(wall - lastWall - passed);
    const stopped = passed > tickMs + tolerated ? passed - tickMs : 0;
    if (stopped > 0 || drift > tolerated) gaps += 1;
    sleptMs += stopped;
    lastAt = at;
    lastWall = wall;
    return at;
  };
  const tick = (): void => {
    look();
    stopTicking = clock.setTimer(tickMs, tick, { background: true });
  };
  stopTicking = clock.setTimer(tickMs, tick, { background: true });

  const now = (): number => look() - sleptMs;
  return {
    now,
    setTimer: (ms, fire) => {
      if (!Number.isFinite(ms)) return () => undefined;
      const end = now() + ms;
      let stop: (() => void) | undefined;
      const due = (): void => {
        // Looks first: this timer may come before the tick that would have noticed.
        const left = end - now();
        if (left > 0) stop = clock.setTimer(left, due);
        else fire();
      };
      stop = clock.setTimer(ms, due);
      return () => stop?.();
    },
    gaps: () => {
      look();
      return gaps;
    },
    close: () => stopTicking?.(),
  };
}
