/** Tokens that need no person: for the client itself, and for a login that is there already. And giving one back. */

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

/** A provider that gives no new refresh token means that the old one goes on being good. */
export async function refreshTokens(
  { server, client, tokens }: GrantParts & { readonly tokens: StoredTokens & { readonly refresh: string } },
  fetch: Fetch,
  wallNow: () => number,
): Promise<StoredTokens> {
  const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh };
  const fresh = await requestTokens({ form, client, server, scope: tokens.scope }, fetch, wallNow);
  return { refresh: tokens.refresh, ...fresh };
}

/** True when the provider has said that this login, or this client, is no good: trying again changes nothing. */
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

/** RFC 7009. False where the provider cannot, or did not. */
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
  // The first is the one that the others hang on.
  return outcomes[0] === true;
}
