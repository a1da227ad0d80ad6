/** Waits for something that no event reports, such as the end of a process that is not holt's child. */

import type { Clock } from '../../clock.ts';

/** Each check reads the state of other processes, so the checks become rarer the longer it takes. */
const firstPauseMs = 10;
const lastPauseMs = 150;

/** Resolves when the check holds, or as soon as the signal is aborted. */
export async function untilHolds(
  check: () => Promise<boolean>,
  clock: Clock,
  cancelled: AbortSignal,
): Promise<void> {
  for (
    let waitMs = firstPauseMs;
    !cancelled.aborted && !(await check());
    waitMs = Math.min(waitMs * 1.5, lastPauseMs)
  ) {
    await pause(waitMs, clock);
  }
}

function pause(ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(ms, resolve);
  });
}

/** Resolves to false when the time is up first or the wait is cancelled. */
export function isWithin(
  event: Promise<unknown>,
  ms: number,
  clock: Clock,
  cancelled?: AbortSignal,
): Promise<boolean> {
  if (cancelled?.aborted === true) return Promise.resolve(false);
  return new Promise((resolve) => {
    const settle = (isInTime: boolean): void => {
      stop();
      cancelled?.removeEventListener('abort', onAbort);
      resolve(isInTime);
    };
    const onAbort = (): void => settle(false);
    const stop = clock.setTimer(ms, onAbort);
    cancelled?.addEventListener('abort', onAbort, { once: true });
    void event.then(() => settle(true));
  });
}
