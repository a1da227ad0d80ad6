/** Token requests that need no user: client credentials, refresh and revocation. */

import type { StoredTokens, CredentialRecord } from '../../kernel/credentials.ts';
import { isSafeScheme } from '../../network/guarded-fetch.ts';
import { findNetworkFailure } from '../../network/network-failure.ts';
import { ProviderError, loginFailed, toLoginError } from '../login-errors.ts';
import { shared } from '../login-records.ts';
import type { LoginTarget } from '../login-target.ts';
import { type ClientIdentity, postForm, requestTokens } from './requests.ts';
import { chooseClient, configuredClient } from './client-id.ts';
import { discoverLogin, readLoginServer } from './discover.ts';
import { type Fetch, type LoginServer, type Challenge, chooseScope, uniteScopes } from './login-server.ts';
import { revocationEndpoint } from './server-metadata.ts';

export interface GrantParts {
  readonly server: LoginServer;
  readonly client: ClientIdentity;
}

export async function requestClientTokens(
  { server, client, scope }: GrantParts & { readonly scope: string | undefined },
  fetch: Fetch,
  wallNow: () => number,
): Promise<StoredTokens> {
  return requestTokens(
    { form: { grant_type: 'client_credentials', scope }, client, server, scope },
    fetch,
    wallNow,
  );
}

/** Refreshes the tokens. If the provider returns no new refresh token, the old one stays valid. */
export async function refreshTokens(
  { server, client, tokens }: GrantParts & { readonly tokens: StoredTokens & { readonly refresh: string } },
  fetch: Fetch,
  wallNow: () => number,
): Promise<StoredTokens> {
  const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh };
  const fresh = await requestTokens({ form, client, server, scope: tokens.scope }, fetch, wallNow);
  return { refresh: tokens.refresh, ...fresh };
}

/** True when the provider rejected this login or client permanently, so that retrying is pointless. */
export function isFinal(error: unknown): error is ProviderError {
  if (!(error instanceof ProviderError) || findNetworkFailure(error) !== undefined) return false;
  return error.status < 500 && finalCodes.has(error.code);
}

const finalCodes = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'invalid_scope',
  'invalid_target',
  'unsupported_grant_type',
  'access_denied',
]);

/** Revokes the tokens (RFC 7009). Returns false if the provider does not support it or it failed. */
export async function revokeTokens(
  { server, client, tokens }: GrantParts & { readonly tokens: StoredTokens },
  fetch: Fetch,
): Promise<boolean> {
  const endpoint = revocationEndpoint(server);
  if (endpoint === undefined || !URL.canParse(endpoint) || !isSafeScheme(new URL(endpoint))) return false;
  const { refresh, access } = tokens;
  const all = [
    ...(refresh === undefined ? [] : [{ token: refresh, token_type_hint: 'refresh_token' }]),
    { token: access, token_type_hint: 'access_token' },
  ];
  const outcomes = await Promise.all(
    all.map((form) =>
      postForm({ endpoint, form, client, server }, fetch).then(
        () => true,
        () => false,
      ),
    ),
  );
  // The first is the refresh token if there is one; revoking it normally invalidates the others.
  return outcomes[0] === true;
}

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
        ? uniteScopes(record?.tokens?.scope, plain, challenge.scope)
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

interface Renewable {
  readonly record: CredentialRecord;
  readonly tokens: StoredTokens & { readonly refresh: string };
  readonly issuer: string;
  readonly client: ClientIdentity;
}

/** Returns undefined when the refresh token, the issuer or the client is missing. */
export function asRenewable(
  target: LoginTarget,
  record: CredentialRecord | undefined,
): Renewable | undefined {
  const { tokens, issuer } = record ?? {};
  const client = configuredClient(target) ?? record?.client;
  if (record === undefined || client === undefined || issuer === undefined) return undefined;
  if (tokens?.refresh === undefined) return undefined;
  return { record, tokens: { ...tokens, refresh: tokens.refresh }, issuer, client };
}

export type Renewal =
  | { readonly kind: 'renewed'; readonly record: CredentialRecord }
  /** The provider rejected the renewal permanently. */
  | { readonly kind: 'refused'; readonly error: ProviderError };

/** Renews the tokens. Rejects when a later attempt may succeed. */
export async function renewRecord(
  target: LoginTarget,
  { record, tokens, issuer, client }: Renewable,
  fetch: Fetch,
  wallNow: () => number,
): Promise<Renewal> {
  try {
    const { resource } = record;
    const known = await readLoginServer(target, issuer, fetch);
    const server = { ...known, ...(resource === undefined ? {} : { resource }) };
    const fresh = await refreshTokens({ server, client, tokens }, fetch, wallNow);
    return { kind: 'renewed', record: { ...record, tokens: fresh } };
  } catch (error) {
    if (!isFinal(error)) throw error;
    return { kind: 'refused', error };
  }
}
