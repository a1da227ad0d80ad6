/** Time as the rest of the house may use it: handed in, so that tests can run an hour in a millisecond. */

export interface Clock {
  /** Milliseconds that only go forward, whatever happens to the time of day. */
  now(): number;
  /** Calls `fire` once after `ms`; calling the answer takes it back. A background timer keeps no program alive. */
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

/** Node fires at once what is set further away than this. */
const longestMs = 2 ** 31 - 1;

export const realClock: Clock = {
  // Not `performance`: Node loads a dozen modules with the first look at it.
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
