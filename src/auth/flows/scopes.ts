/** Which scopes a login asks for. */

import { computeScopeUnion } from '@modelcontextprotocol/client';

import type { CredentialRecord } from '../../kernel/credentials.ts';
import type { Challenge, LoginServer } from './login-server.ts';
import type { LoginTarget } from '../login-target.ts';

export interface ScopeChoice {
  readonly target: LoginTarget;
  readonly server: LoginServer;
  readonly record: CredentialRecord | undefined;
  readonly challenge: Challenge | undefined;
  /** What the caller wants, whatever anybody else says. */
  readonly asked?: string | undefined;
}

/**
 * The caller's word, then the entry's, then the server's refusal, then all that the server knows. What an earlier login
 * had is kept when a server asked for more than that.
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

/** Without this scope some providers give no refresh token. Asked for only where it is known and something else is, too. */
function withOffline(scope: string | undefined, { metadata }: LoginServer): string | undefined {
  const knows = metadata.scopes_supported?.includes('offline_access') === true;
  return scope === undefined || !knows ? scope : computeScopeUnion(scope, 'offline_access');
}
