/** A clock that is passed in, so that tests can simulate an hour in a millisecond. */

/** What a wait with a time limit needs of a clock. */
export interface Timers {
  /** Calls `fire` once after `ms` and returns a function that cancels it. */
  setTimer(ms: number, fire: () => void): () => void;
}

export interface Clock extends Timers {
  /** Monotonic time in milliseconds, unaffected by changes of the system time. */
  now(): number;
  /** A background timer does not keep the process alive. */
  setTimer(ms: number, fire: () => void, options?: { readonly background?: boolean }): () => void;
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
