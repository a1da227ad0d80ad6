/**
 * Tracks the active calls of each server, so that a request from the server reaches the caller. A stateful
 * server does not say which call its request belongs to, so with several active calls it cannot be assigned
 * to one.
 */

import type { Interaction } from '../kernel/interaction.ts';

export interface ActiveCall {
  /** The caller's handler; overrides the host's. */
  readonly onElicit: Interaction['elicit'];
  /** Resets the idle timeout, because the server is waiting for an answer. */
  readonly touch: () => void;
  /** Pauses the caller's deadline, if it has one. The returned function resumes it. */
  readonly hold?: (() => () => void) | undefined;
}

export interface ActiveCalls {
  /** Registers a call. The returned function removes it. */
  begin(server: string, call: ActiveCall): () => void;
  /** Returns the call of this server if exactly one is active. */
  only(server: string): ActiveCall | undefined;
  /** Returns all active calls of this server. */
  all(server: string): Iterable<ActiveCall>;
  /**
   * Returns a signal that aborts when all of these calls have ended, because the answer is then no longer
   * needed.
   */
  over(calls: readonly ActiveCall[]): AbortSignal;
}

const none: ReadonlySet<ActiveCall> = new Set();

export function createActiveCalls(): ActiveCalls {
  const active = new Map<string, Set<ActiveCall>>();
  /** Only for calls that received a request; most calls end without one. */
  const ends = new WeakMap<ActiveCall, AbortController>();
  const endOf = (call: ActiveCall): AbortController => {
    const end = ends.get(call) ?? new AbortController();
    ends.set(call, end);
    return end;
  };
  return {
    begin: (server, call) => {
      const calls = active.get(server) ?? new Set();
      active.set(server, calls.add(call));
      return () => {
        calls.delete(call);
        ends.get(call)?.abort();
      };
    },
    only: (server) => {
      const calls = active.get(server) ?? none;
      if (calls.size !== 1) return undefined;
      for (const call of calls) return call;
      return undefined;
    },
    all: (server) => active.get(server) ?? none,
    over: (calls) => {
      const all = new AbortController();
      const left = new Set(calls);
      const leave = (call: ActiveCall): void => {
        left.delete(call);
        if (left.size === 0) all.abort();
      };
      for (const call of calls)
        endOf(call).signal.addEventListener('abort', () => leave(call), { once: true });
      return all.signal;
    },
  };
}
