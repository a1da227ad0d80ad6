/**
 * Defines which token permits what. Four tokens are created at start, each with all rights of the one before
 * it and more. A given token is compared with the digests of all four in constant time, so that the duration
 * reveals nothing.
 */

import { timingSafeEqual } from 'node:crypto';

import { sha256 } from '../../kernel/hash.ts';
import { tokenScopes, type TokenScope } from '../contract/route.ts';

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
  return Buffer.from(sha256(token), 'hex');
}
