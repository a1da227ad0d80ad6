/** Connections that are closing, by name. A new connection of the same name waits for them. */

import { nothingOpen } from './server-state.ts';

export interface Leavers {
  /** Resolves when all earlier connections of this name are closed. Never rejects. */
  lastOf(ref: string): Promise<void>;
  /**
   * Registers a connection that is closing. Pass the promise of its closing to the returned function; the
   * promise that this gives resolves when it and all earlier ones are closed.
   */
  expect(ref: string): (leaving: Promise<void> | undefined) => Promise<void>;
  /** Resolves when all of them are closed. Never rejects. */
  all(): Promise<void>;
}

export function createLeavers(): Leavers {
  const leavers = new Map<string, Promise<void>>();
  return {
    lastOf: (ref) => leavers.get(ref) ?? nothingOpen,
    expect: (ref) => {
      const earlier = leavers.get(ref);
      let settle: ((all: Promise<unknown>) => void) | undefined;
      const left = new Promise<unknown>((resolve) => {
        settle = resolve;
      }).then(() => {
        if (leavers.get(ref) === left) leavers.delete(ref);
      });
      leavers.set(ref, left);
      return (leaving) => {
        settle?.(Promise.allSettled([earlier, leaving]));
        return left;
      };
    },
    all: async () => {
      await Promise.all(leavers.values());
    },
  };
}
