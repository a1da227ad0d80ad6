/**
 * Counts different wrong tokens, to slow down guessing. Clients with a valid token are not affected, and a
 * program that keeps sending the same outdated token only gets `unauthorized`.
 */

import { sha256 } from '../../kernel/hash.ts';
import { Refusal } from '../status-codes.ts';

export interface Failures {
  /** Returns the error for this wrong token, or for a missing one. */
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
      const digest = sha256(token);
      if (!guesses.has(digest) && guesses.size >= most) return new Refusal('too-many-failures');
      guesses.set(digest, at);
      return new Refusal('unauthorized');
    },
  };
}
