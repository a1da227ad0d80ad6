/** Waits for something that no event reports, such as the end of a process that is not holt's child. */

import type { Clock } from '../../clock.ts';
import { pause } from '../../waits.ts';

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
