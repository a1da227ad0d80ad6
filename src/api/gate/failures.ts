/**
 * Counts wrong tokens. Who guesses is slowed down; who has the right one never notices, and who sends the same wrong
 * one over and over, as a program with an old token does, is only told so.
 */

import { createHash } from 'node:crypto';

import { Refusal } from '../status-codes.ts';

export interface Failures {
  /** What to answer to this wrong token, or to none. */
  refuse(token: string | undefined): Refusal;
}

const most = 20;
const withinMs = 60_000;

export function createFailures(now: () => number): Failures {
  const guesses = new Map<string, number>();
  return {
    refuse: (token) => {
      if (token === undefined) return new Refusal('unauthorized');
      const at = now();
      for (const [digest, time] of guesses) if (at - time >= withinMs) guesses.delete(digest);
      const digest = createHash('sha256').update(token).digest('hex');
      if (!guesses.has(digest) && guesses.size >= most) return new Refusal('too-many-failures');
      guesses.set(digest, at);
      return new Refusal('unauthorized');
    },
  };
}
