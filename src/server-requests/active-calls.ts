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
}

const none: ReadonlySet<ActiveCall> = new Set();

export function createActiveCalls(): ActiveCalls {
  const active = new Map<string, Set<ActiveCall>>();
  return {
    begin: (server, call) => {
      const calls = active.get(server) ?? new Set();
      active.set(server, calls.add(call));
      return () => calls.delete(call);
    },
    only: (server) => {
      const calls = active.get(server) ?? none;
      if (calls.size !== 1) return undefined;
      for (const call of calls) return call;
      return undefined;
    },
    all: (server) => active.get(server) ?? none,
  };
}
