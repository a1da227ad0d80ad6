/** What is known about who logs people in to a server. */

import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** What a server said when it refused a request. */
export interface Challenge {
  readonly scope?: string | undefined;
  readonly resourceMetadataUrl?: URL | undefined;
}

export interface LoginServer {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** False when it has no metadata and its endpoints are a guess. */
  readonly isKnown: boolean;
  /** What tokens are asked for (RFC 8707). */
  readonly resource?: string;
  /** All scopes that the server has a use for. */
  readonly resourceScopes?: string;
}

/** Issuers are compared as texts; only a slash after a bare host makes no difference. */
export function isSameIssuer(left: string, right: string): boolean {
  return withoutSlash(left) === withoutSlash(right);
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/^(https?:\/\/[^/]+)\/$/, '$1');
}
