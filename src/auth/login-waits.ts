/** Who waits for a login at the moment, and what ends the waiting: its caller, the host, or another login of the same server. */

import type { HoltError } from '../kernel/errors.ts';
import { toLoginError } from './login-errors.ts';
import type { LoginTarget } from './login-target.ts';

export interface LoginWaits {
  /** Rejects with the reason when `end` has one for it. */
  during<Result>(target: LoginTarget, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Done when this work is, or `loggedIn` was said of its server. */
  untilLoggedIn(
    target: LoginTarget,
    outer: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void>;
  /** Several may wait for one server, in as many tabs: the first that is finished is the end of all. */
  loggedIn(target: LoginTarget): void;
  end(why: (target: LoginTarget) => HoltError | undefined): void;
}

interface Waiter {
  readonly target: LoginTarget;
  /** Content with any login of its server, whoever finished it. */
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
