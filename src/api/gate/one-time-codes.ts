/** Codes for links to the page: each is good for one use within a minute. */

import { createHash } from 'node:crypto';

export interface OneTimeCodes {
  issue(): string;
  /** True once, within a minute. */
  redeem(code: string): boolean;
}

export interface CodeParts {
  readonly now: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
}

const lifeMs = 60_000;
/** Older ones are forgotten. */
const most = 16;

export function createOneTimeCodes({ now, randomBytes }: CodeParts): OneTimeCodes {
  // By digest: looking one up tells nothing about the others.
  const waiting = new Map<string, number>();
  return {
    issue: () => {
      const code = Buffer.from(randomBytes(32)).toString('base64url');
      waiting.set(digestOf(code), now() + lifeMs);
      const [oldest] = waiting.keys();
      if (waiting.size > most && oldest !== undefined) waiting.delete(oldest);
      return code;
    },
    redeem: (code) => {
      const digest = digestOf(code);
      const until = waiting.get(digest);
      waiting.delete(digest);
      return until !== undefined && now() < until;
    },
  };
}

function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
