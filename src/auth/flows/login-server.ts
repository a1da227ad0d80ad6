/** Types that describe a login server. */

import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';

import type { CredentialRecord } from '../../kernel/credentials.ts';
import type { LoginTarget } from '../login-target.ts';

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

export interface ScopeChoice {
  readonly target: LoginTarget;
  readonly server: LoginServer;
  readonly record: CredentialRecord | undefined;
  readonly challenge: Challenge | undefined;
  /** The caller's choice; overrides everything else. */
  readonly asked?: string | undefined;
}

/**
 * In order of precedence: the caller, the entry, the server's rejection, all scopes the server lists. If a
 * server asked for more than an earlier login had, the earlier scopes stay.
 */
export function chooseScope({ target, server, record, challenge, asked }: ScopeChoice): string | undefined {
  if (asked !== undefined) return asked;
  const entry = target.oauth.scopes?.join(' ');
  const first = [entry, challenge?.scope, server.resourceScopes].find(
    (scope) => scope !== undefined && scope !== '',
  );
  const { wantedScope, tokens } = record ?? {};
  const chosen =
    wantedScope === undefined ? first : uniteScopes(tokens?.scope, entry, challenge?.scope, wantedScope);
  return withOffline(chosen, server);
}

/**
 * Adds `offline_access`, without which some providers issue no refresh token. Only if the provider lists it
 * and another scope is requested.
 */
function withOffline(scope: string | undefined, { metadata }: LoginServer): string | undefined {
  const knows = metadata.scopes_supported?.includes('offline_access') === true;
  return scope === undefined || !knows ? scope : uniteScopes(scope, 'offline_access');
}

/** All scopes of several lists, each once. Not the SDK's function: most commands would load the SDK for it. */
export function uniteScopes(...lists: readonly (string | undefined)[]): string | undefined {
  const scopes = new Set(lists.flatMap((list) => list?.match(/\S+/g) ?? []));
  return scopes.size === 0 ? undefined : [...scopes].join(' ');
}
