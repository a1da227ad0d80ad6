/** One-time codes for links to the page. Each works once, within a minute. */

import { sha256 } from '../../kernel/hash.ts';

export interface OneTimeCodes {
  issue(): string;
  /** Returns true for a valid code, and invalidates it. */
  redeem(code: string): boolean;
}

export interface CodeParts {
  readonly now: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
}

const lifeMs = 60_000;
/** When there are more codes, the oldest is dropped. */
const most = 16;

export function createOneTimeCodes({ now, randomBytes }: CodeParts): OneTimeCodes {
  // Keyed by digest, so that a lookup reveals nothing about other codes.
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
  return sha256(code);
}
