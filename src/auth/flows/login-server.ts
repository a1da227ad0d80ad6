/** Types that describe a login server. */

import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Parameters from the `WWW-Authenticate` header of a rejected request. */
export interface Challenge {
  readonly scope?: string | undefined;
  readonly resourceMetadataUrl?: URL | undefined;
}

export interface LoginServer {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** False when the login server has no metadata and its endpoints are guessed. */
  readonly isKnown: boolean;
  /** The resource that tokens are requested for (RFC 8707). */
  readonly resource?: string;
  /** All scopes that the server lists. */
  readonly resourceScopes?: string;
}

/** Compares issuers as strings, except that a trailing slash after a bare host is ignored. */
export function isSameIssuer(left: string, right: string): boolean {
  return withoutSlash(left) === withoutSlash(right);
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/^(https?:\/\/[^/]+)\/$/, '$1');
}
