/** Waits that end early: on abort, after a time limit, or with another signal. */

import type { Clock, Timers } from './clock.ts';

const waiting = new WeakMap<EventTarget, Set<() => void>>();
const once = { once: true } as const;

/**
 * Calls the listener on abort, or immediately if the signal is already aborted. Adds at most one listener to the
 * signal, however many operations wait on it, because Node.js warns of a leak when a signal has more than ten.
 */
export function onAbort(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) return listener();
  let all = waiting.get(signal);
  if (all === undefined) waiting.set(signal, (all = new Set()));
  if (all.size === 0) signal.addEventListener('abort', notifyAll, once);
  all.add(listener);
}

export function offAbort(signal: AbortSignal, listener: () => void): void {
  const all = waiting.get(signal);
  if (all?.delete(listener) === true && all.size === 0) signal.removeEventListener('abort', notifyAll);
}

function notifyAll({ target }: Event): void {
  const all = target === null ? undefined : waiting.get(target);
  if (all === undefined) return;
  for (const listener of all) listener();
  all.clear();
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, resolve);
  });
}

/** Waits for a promise, but rejects with the signal's reason if the caller aborts first. */
export async function orAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return promise;
  let stop: (() => void) | undefined;
  const rejected = new Promise<never>((_, reject) => {
    const abort = (): void => reject(signal.reason as Error); // whatever the caller gave as its reason
    onAbort(signal, abort);
    stop = () => offAbort(signal, abort);
  });
  try {
    return await Promise.race([promise, rejected]);
  } finally {
    stop?.();
  }
}

export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Removes the listener and the timer. The opener calls it when the work ends. */
  release(): void;
}

export interface TimeLimit {
  readonly ms: number;
  readonly clock: Timers;
  readonly reason: () => unknown;
}

/**
 * Returns a signal that aborts with `outer` or at the limit. Use it instead of `AbortSignal.any` for an outer
 * signal that lives long: on Node.js 20 each combined signal leaks there.
 */
export function linkSignal(outer: AbortSignal | undefined, limit?: TimeLimit): LinkedSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort(outer?.reason);
  const stopTimer = limit?.clock.setTimer(limit.ms, () => controller.abort(limit.reason()));
  if (outer !== undefined) onAbort(outer, abort);
  return {
    signal: controller.signal,
    release: () => {
      stopTimer?.();
      if (outer !== undefined) offAbort(outer, abort);
    },
  };
}

/** Resolves after `ms`; rejects with the signal's reason when that is aborted first. */
export function pause(ms: number, clock: Timers, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error); // aborted with Errors only
    const abort = (): void => {
      cancel();
      reject(signal?.reason as Error); // aborted with Errors only
    };
    const cancel = clock.setTimer(ms, () => {
      if (signal !== undefined) offAbort(signal, abort);
      resolve();
    });
    if (signal !== undefined) onAbort(signal, abort);
  });
}

/** Resolves with the promise's value, or with `late` when the time is up first. */
export async function orLate<Value, Late>(
  promise: Promise<Value>,
  ms: number,
  clock: Timers,
  late: Late,
): Promise<Value | Late> {
  let stop: (() => void) | undefined;
  const timeUp = new Promise<Late>((resolve) => {
    stop = clock.setTimer(ms, () => resolve(late));
  });
  try {
    return await Promise.race([promise, timeUp]);
  } finally {
    stop?.();
  }
}

/** Resolves to false when the time is up before the event, or the wait is cancelled. */
export function isWithin(
  event: Promise<unknown>,
  ms: number,
  clock: Timers,
  cancelled?: AbortSignal,
): Promise<boolean> {
  if (cancelled?.aborted === true) return Promise.resolve(false);
  return new Promise((resolve) => {
    const settle = (isInTime: boolean): void => {
      stop();
      if (cancelled !== undefined) offAbort(cancelled, cancel);
      resolve(isInTime);
    };
    const cancel = (): void => settle(false);
    const stop = clock.setTimer(ms, cancel);
    if (cancelled !== undefined) onAbort(cancelled, cancel);
    void event.then(() => settle(true));
  });
}

/** Resolves in the next turn of the event loop, after timers that are due and pending I/O. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** A promise with its `resolve` and `reject`. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve(value: Value): void;
  reject(error: Error): void;
}

/** An unhandled rejection of the promise does not crash the process. */
export function createDeferred<Value>(): Deferred<Value> {
  let handles: Pick<Deferred<Value>, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    handles = { resolve, reject };
  });
  promise.catch(() => undefined);
  return { promise, resolve: (value) => handles?.resolve(value), reject: (error) => handles?.reject(error) };
}

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
