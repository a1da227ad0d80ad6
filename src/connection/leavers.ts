/** Those that had to go and are not gone yet, by the name they had: whoever has it next waits for them. */

import { nothingOpen } from './server-state.ts';

export interface Leavers {
  /** Settles when nothing is left of whoever had this name. Never rejects. */
  lastOf(ref: string): Promise<void>;
  /** Somebody is about to go, which the answer is told of; what that gives settles when they and those before them are gone. */
  expect(ref: string): (leaving: Promise<void> | undefined) => Promise<void>;
  /** Settles when all are gone. Never rejects. */
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
