/** Token requests that need no user: client credentials, refresh and revocation. */

import type { StoredTokens } from '../../kernel/credentials.ts';
import { findNetworkFailure } from '../../network/network-failure.ts';
import { isSafeScheme } from '../../network/guarded-fetch.ts';
import { ProviderError } from '../login-errors.ts';
import type { ClientIdentity } from './client-auth.ts';
import { revocationEndpoint } from './login-metadata.ts';
import type { Fetch, LoginServer } from './login-server.ts';
import { postForm, requestTokens } from './requests.ts';

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
