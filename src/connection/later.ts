/** Something to be done after a while. Whoever waits for it goes on also when it is called off. */

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
