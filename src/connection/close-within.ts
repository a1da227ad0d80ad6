/** Closes something, for a limited time. */

import type { WakeWatch } from './wake-watch.ts';

export interface CloseParts {
  readonly wake: WakeWatch;
  readonly limitMs: number;
  readonly onError: (error: unknown) => void;
}

/** Never rejects: what went wrong is told, and holds up nobody. */
export async function closeWithin(
  close: () => Promise<void>,
  { wake, limitMs, onError }: CloseParts,
): Promise<void> {
  let stop: (() => void) | undefined;
  const late = new Promise<void>((resolve) => {
    stop = wake.setTimer(limitMs, resolve);
  });
  const closed = Promise.resolve().then(close).catch(onError);
  await Promise.race([closed, late]);
  stop?.();
}
