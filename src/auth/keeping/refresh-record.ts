/** Renews a stored login at the issuer that it came from. */

import type { CredentialRecord, StoredTokens } from '../../kernel/credentials.ts';
import type { ClientIdentity } from '../flows/client-auth.ts';
import { configuredClient } from '../flows/client-id.ts';
import { readLoginServer } from '../flows/discover.ts';
import { isFinal, refreshTokens } from '../flows/grants.ts';
import type { Fetch } from '../flows/login-server.ts';
import type { ProviderError } from '../login-errors.ts';
import type { LoginTarget } from '../login-target.ts';

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
