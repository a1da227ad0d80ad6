/** Waits for a promise, but rejects with the signal's reason if the caller aborts first. */

import { offAbort, onAbort } from './on-abort.ts';

export async function orAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return promise;
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    const enough = (): void => reject(signal.reason as Error); // whatever the caller gave as its reason
    onAbort(signal, enough);
    stop = () => offAbort(signal, enough);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    stop?.();
  }
}
