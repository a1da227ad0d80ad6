/** Runs work after a delay. The promise resolves when the work has started or is cancelled. */

import type { Clock } from '../platform/clock.ts';

export interface Later {
  readonly come: Promise<void>;
  readonly cancel: () => void;
}

export function later(clock: Clock, ms: number, work: () => void): Later {
  let resolve: (() => void) | undefined;
  const come = new Promise<void>((settle) => {
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
  return { come, cancel };
}
