/**
 * Which calls run at each server, so that what a server asks in the middle of one reaches whoever made it. A stateful
 * server does not say which call its question is about: with more than one in flight it is nobody's in particular.
 */

import type { Interaction } from '../kernel/interaction.ts';

export interface ActiveCall {
  /** The caller's own; wins over the host's. */
  readonly onElicit: Interaction['elicit'];
  /** The server waits for us: its silence does not count. */
  readonly touch: () => void;
  /** Stops the time that the caller gives it, where it gives one, until the answer is called. */
  readonly hold?: (() => () => void) | undefined;
}

export interface ActiveCalls {
  /** The answer ends it. */
  begin(server: string, call: ActiveCall): () => void;
  /** The call that a question surely belongs to. */
  only(server: string): ActiveCall | undefined;
  all(server: string): Iterable<ActiveCall>;
  /** Aborted once none of them runs any more: nobody waits for what was asked in them. */
  over(calls: readonly ActiveCall[]): AbortSignal;
}

const none: ReadonlySet<ActiveCall> = new Set();

export function createActiveCalls(): ActiveCalls {
  const active = new Map<string, Set<ActiveCall>>();
  /** Only of those in which somebody was asked: most calls end without. */
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
