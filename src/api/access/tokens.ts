/**
 * Defines which token permits what. Four tokens are created at start, each with all rights of the one before
 * it and more. A given token is compared with the digests of all four in constant time, so that the duration
 * reveals nothing.
 */

import { timingSafeEqual } from 'node:crypto';

import { sha256 } from '../../kernel/hash.ts';
import { type TokenScope, tokenScopes } from '../contract/schema.ts';
import { Refusal } from '../status-codes.ts';

export interface Tokens {
  /** Each token by the highest scope that it has; the one for `trust` allows everything. */
  readonly all: Readonly<Record<TokenScope, string>>;
  /**
   * Returns the scopes of the token in this `Authorization` header, or undefined when the token is unknown.
   */
  scopesOf(authorization: string | undefined): ReadonlySet<TokenScope> | undefined;
}

export interface TokenParts {
  readonly randomBytes: (count: number) => Uint8Array;
  /** Chosen by the user. Replaces the generated token that allows everything. */
  readonly given?: string | undefined;
}

export function createTokens({ randomBytes, given }: TokenParts): Tokens {
  const fresh = (): string => `holt_${Buffer.from(randomBytes(32)).toString('base64url')}`;
  const all = { read: fresh(), call: fresh(), admin: fresh(), trust: given ?? fresh() };
  const known = tokenScopes.map((scope, index) => ({
    digest: digestBytes(all[scope]),
    scopes: new Set(tokenScopes.slice(0, index + 1)),
  }));
  return {
    all,
    scopesOf: (authorization) => {
      const asked = digestBytes(/^Bearer ([\x21-\x7e]{1,512})$/i.exec(authorization ?? '')?.[1] ?? '');
      let found: ReadonlySet<TokenScope> | undefined;
      for (const { digest, scopes } of known) if (timingSafeEqual(digest, asked)) found = scopes;
      return found;
    },
  };
}

function digestBytes(token: string): Buffer {
  return Buffer.from(sha256(token), 'hex');
}

/**
 * Counts different wrong tokens, to slow down guessing. Clients with a valid token are not affected, and a program that
 * keeps sending the same outdated token only gets `unauthorized`.
 */
export interface Failures {
  /** Returns the error for this wrong token, or for a missing one. */
  refuse(token: string | undefined): Refusal;
}

const mostGuesses = 20;
const withinMs = 60_000;

export function createFailures(now: () => number): Failures {
  const guesses = new Map<string, number>();
  return {
    refuse: (token) => {
      if (token === undefined) return new Refusal('unauthorized');
      const at = now();
      for (const [digest, time] of guesses) if (at - time >= withinMs) guesses.delete(digest);
      const digest = sha256(token);
      if (!guesses.has(digest) && guesses.size >= mostGuesses) return new Refusal('too-many-failures');
      guesses.set(digest, at);
      return new Refusal('unauthorized');
    },
  };
}

/** Codes for links to the page. Each works once, within a minute. */
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
const mostCodes = 16;

export function createOneTimeCodes({ now, randomBytes }: CodeParts): OneTimeCodes {
  // Keyed by digest, so that a lookup reveals nothing about other codes.
  const waiting = new Map<string, number>();
  return {
    issue: () => {
      const code = Buffer.from(randomBytes(32)).toString('base64url');
      waiting.set(sha256(code), now() + lifeMs);
      const [oldest] = waiting.keys();
      if (waiting.size > mostCodes && oldest !== undefined) waiting.delete(oldest);
      return code;
    },
    redeem: (code) => {
      const digest = sha256(code);
      const until = waiting.get(digest);
      waiting.delete(digest);
      return until !== undefined && now() < until;
    },
  };
}
