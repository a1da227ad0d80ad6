/** Chooses the scopes that a login requests. */

import { computeScopeUnion } from '@modelcontextprotocol/client';

import type { CredentialRecord } from '../../kernel/credentials.ts';
import type { Challenge, LoginServer } from './login-server.ts';
import type { LoginTarget } from '../login-target.ts';

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
 * server asked for more than an earlier login had, the earlier scopes are kept.
 */
export function chooseScope({ target, server, record, challenge, asked }: ScopeChoice): string | undefined {
  if (asked !== undefined) return asked;
  const entry = target.oauth.scopes?.join(' ');
  const first = [entry, challenge?.scope, server.resourceScopes].find(
    (scope) => scope !== undefined && scope !== '',
  );
  const { wantedScope, tokens } = record ?? {};
  const chosen =
    wantedScope === undefined
      ? first
      : computeScopeUnion(tokens?.scope, entry, challenge?.scope, wantedScope);
  return withOffline(chosen, server);
}

/**
 * Adds `offline_access`, without which some providers issue no refresh token. Only if the provider lists it
 * and another scope is requested.
 */
function withOffline(scope: string | undefined, { metadata }: LoginServer): string | undefined {
  const knows = metadata.scopes_supported?.includes('offline_access') === true;
  return scope === undefined || !knows ? scope : computeScopeUnion(scope, 'offline_access');
}
