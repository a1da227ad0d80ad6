/**
 * Who may do what. Four tokens are made at the start, each allowing what the one before it allows and more. Kept as
 * digests and compared in constant time, all of them every time: how long it takes tells nothing.
 */

import { createHash, timingSafeEqual } from 'node:crypto';

import { tokenScopes, type TokenScope } from '../contract/route.ts';

export interface Tokens {
  /** By the most that each allows; the one for `trust` allows everything. */
  readonly all: Readonly<Record<TokenScope, string>>;
  /** What the bearer of this `Authorization` header may do; undefined when it is none of ours. */
  scopesOf(authorization: string | undefined): ReadonlySet<TokenScope> | undefined;
}

export interface TokenParts {
  readonly randomBytes: (count: number) => Uint8Array;
  /** Chosen by the user, in place of the one that allows everything. */
  readonly given?: string | undefined;
}

export function createTokens({ randomBytes, given }: TokenParts): Tokens {
  const fresh = (): string => `holt_${Buffer.from(randomBytes(32)).toString('base64url')}`;
  const all = { read: fresh(), call: fresh(), admin: fresh(), trust: given ?? fresh() };
  const known = tokenScopes.map((scope, index) => ({
    digest: digestOf(all[scope]),
    scopes: new Set(tokenScopes.slice(0, index + 1)),
  }));
  return {
    all,
    scopesOf: (authorization) => {
      const asked = digestOf(/^Bearer ([\x21-\x7e]{1,512})$/i.exec(authorization ?? '')?.[1] ?? '');
      let found: ReadonlySet<TokenScope> | undefined;
      for (const { digest, scopes } of known) if (timingSafeEqual(digest, asked)) found = scopes;
      return found;
    },
  };
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
