/** A clock that is passed in, so that tests can simulate an hour in a millisecond. */

export interface Clock {
  /** Monotonic time in milliseconds, unaffected by changes of the system time. */
  now(): number;
  /**
   * Calls `fire` once after `ms` and returns a function that cancels it. A background timer does not keep the
   * process alive.
   */
  setTimer(ms: number, fire: () => void, options?: { readonly background?: boolean }): () => void;
}

/** Resolves after `ms`; rejects with the signal's reason when that is aborted first. */
export function pause(ms: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error); // aborted with Errors only
    const stop = (): void => {
      cancel();
      reject(signal?.reason as Error); // aborted with Errors only
    };
    const cancel = clock.setTimer(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Node fires timers with a longer delay immediately. */
const longestMs = 2 ** 31 - 1;

export const realClock: Clock = {
  // Not `performance`: the first access makes Node load a dozen modules.
  now: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
  setTimer: (ms, fire, { background = false } = {}) => {
    const timer = setTimeout(fire, Math.min(ms, longestMs));
    if (background) timer.unref();
    return () => clearTimeout(timer);
  },
};
