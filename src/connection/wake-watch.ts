/**
 * Detects that the machine slept or that this process was suspended. Limits exclude that time, so that it is
 * not taken for a hanging server, and connections are checked before they are used again.
 */

import type { Clock } from '../platform/clock.ts';
import { orLate } from '../platform/waits.ts';

export interface WakeWatch {
  /** Milliseconds, without time spent asleep. */
  readonly now: () => number;
  /** Sets a timer that excludes time spent asleep. */
  setTimer(ms: number, fire: () => void): () => void;
  /** The number of sleeps detected so far. A larger number than before means that the machine has slept. */
  gaps(): number;
  close(): void;
}

export interface WakeParts {
  readonly clock: Clock;
  /** The time of day in milliseconds. It advances during a sleep in which `clock` stands still. */
  readonly wallNow: () => number;
  readonly tickMs?: number;
}

export function createWakeWatch({ clock, wallNow, tickMs = 2000 }: WakeParts): WakeWatch {
  // A busy event loop delays ticks too. Only a delay of more than two extra ticks counts as a sleep.
  const tolerated = 2 * tickMs;
  let gaps = 0;
  let sleptMs = 0;
  let lastAt = clock.now();
  let lastWall = wallNow();
  let stopTicking: (() => void) | undefined;

  // Runs several times per call, so it allocates nothing.
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
        // `now` checks for a sleep, because this timer may fire before the tick that would detect it.
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

export interface CloseParts {
  readonly wake: WakeWatch;
  readonly limitMs: number;
  readonly onError: (error: unknown) => void;
}

/** Resolves when `close` settles or the limit passes. Never rejects: errors go to `onError`. */
export async function closeWithin(
  close: () => Promise<void>,
  { wake, limitMs, onError }: CloseParts,
): Promise<void> {
  const closed = Promise.resolve().then(close).catch(onError);
  await orLate(closed, limitMs, wake, undefined);
}

/** Work that runs after a delay. `done` resolves when the work has started or is cancelled. */
export interface Delayed {
  readonly done: Promise<void>;
  readonly cancel: () => void;
}

export function delay(clock: Clock, ms: number, work: () => void): Delayed {
  let resolve: (() => void) | undefined;
  const done = new Promise<void>((settle) => {
    resolve = settle;
  });
  const stop = clock.setTimer(ms, () => {
    work();
    resolve?.();
  });
  const cancel = (): void => {
    stop();
    resolve?.();
  };
  return { done, cancel };
}
