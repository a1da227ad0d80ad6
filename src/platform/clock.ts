/** Time as the rest of the house may use it: handed in, so that tests can run an hour in a millisecond. */

export interface Clock {
  /** Milliseconds that only go forward, whatever happens to the time of day. */
  now(): number;
  /** Calls `fire` once after `ms`; calling the answer takes it back. A background timer keeps no program alive. */
  setTimer(ms: number, fire: () => void, options?: { readonly background?: boolean }): () => void;
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
