/**
 * Tracks callers that wait for a login. A wait can be ended by its caller, by the host, or by another login
 * of the same server.
 */

import type { HoltError } from '../kernel/errors.ts';
import { toLoginError } from './login-errors.ts';
import type { LoginTarget } from './login-target.ts';

export interface LoginWaits {
  /** Runs `work`. Rejects with the reason if `end` returns one for this target. */
  during<Result>(target: LoginTarget, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Resolves when `work` completes, or when `loggedIn` is called for the same server. */
  untilLoggedIn(
    target: LoginTarget,
    outer: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void>;
  /**
   * Ends all `untilLoggedIn` waits of this server. A user may have several login tabs open; the first one to
   * finish counts for all.
   */
  loggedIn(target: LoginTarget): void;
  /** Rejects the waits for which `why` returns an error. */
  end(why: (target: LoginTarget) => HoltError | undefined): void;
}

interface Waiter {
  readonly target: LoginTarget;
  /** Resolves when any login of the same server completes. */
  readonly joins: boolean;
  readonly outer?: AbortSignal | undefined;
}

const isDone = new Error('another login of the server was finished first');

export function createLoginWaits(): LoginWaits {
  const waiting = new Map<AbortController, Waiter>();

  const run = async <Result>(
    waiter: Waiter,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const { target, outer } = waiter;
    const own = new AbortController();
    waiting.set(own, waiter);
    try {
      return await work(outer === undefined ? own.signal : AbortSignal.any([outer, own.signal]));
    } catch (error) {
      if (own.signal.aborted) throw own.signal.reason;
      outer?.throwIfAborted();
      throw toLoginError(target.server, error);
    } finally {
      waiting.delete(own);
    }
  };

  return {
    during: (target, work) => run({ target, joins: false }, work),
    untilLoggedIn: async (target, outer, work) => {
      await run({ target, outer, joins: true }, work).catch((error: unknown) => {
        if (error !== isDone) throw error;
      });
    },
    loggedIn: ({ server }) => {
      for (const [own, { target, joins }] of waiting)
        if (joins && target.server === server) own.abort(isDone);
    },
    end: (why) => {
      for (const [own, { target }] of waiting) {
        const reason = why(target);
        if (reason !== undefined) own.abort(reason);
      }
    },
  };
}
