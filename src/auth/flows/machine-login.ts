/** The client-credentials login: discovers the login server, requests tokens and builds the record. */

import { computeScopeUnion } from '@modelcontextprotocol/client';

import type { CredentialRecord } from '../../kernel/credentials.ts';
import { loginFailed, toLoginError } from '../login-errors.ts';
import type { LoginTarget } from '../login-target.ts';
import { shared } from '../records.ts';
import { chooseClient, configuredClient } from './client-id.ts';
import { discoverLogin } from './discover.ts';
import { requestClientTokens } from './grants.ts';
import type { Challenge, Fetch } from './login-server.ts';
import { chooseScope } from './scopes.ts';

export interface MachineLogin {
  readonly target: LoginTarget;
  readonly record: CredentialRecord | undefined;
  readonly challenge: Challenge;
  readonly wantsScope?: boolean;
  /** The scope that the caller requests. */
  readonly scope?: string | undefined;
  readonly wallNow: () => number;
}

/**
 * Returns a record with new tokens. Rejects with a login error; `auth-failed` when `oauth.clientId` is not
 * configured.
 */
export async function fetchClientTokens(login: MachineLogin, fetch: Fetch): Promise<CredentialRecord> {
  const { target, record, challenge, wantsScope, wallNow } = login;
  if (configuredClient(target) === undefined)
    throw loginFailed(target.server, 'client credentials need oauth.clientId');
  try {
    const server = await discoverLogin(target, fetch, { challenge, known: record?.issuer });
    const { identity } = await chooseClient({ target, server, record, now: wallNow() / 1000 }, fetch);
    const plain = chooseScope({ target, server, record, challenge, asked: login.scope });
    const scope =
      wantsScope === true
        ? computeScopeUnion(record?.tokens?.scope, plain, challenge.scope)
        : withoutOffline(plain);
    const tokens = await requestClientTokens({ server, client: identity, scope }, fetch, wallNow);
    const { issuer, resource } = server;
    return shared(
      {
        ...record,
        serverUrl: target.serverUrl,
        issuer,
        ...(resource === undefined ? {} : { resource }),
        tokens,
      },
      target,
    );
  } catch (error) {
    throw toLoginError(target.server, error);
  }
}

/** Removes `offline_access`, which has no meaning without a user. */
function withoutOffline(scope: string | undefined): string | undefined {
  const rest = scope?.split(' ').filter((one) => one !== 'offline_access');
  return rest === undefined || rest.length === 0 ? undefined : rest.join(' ');
}
