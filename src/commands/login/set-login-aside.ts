/** Removes the tokens before `holt reauth` logs in again, and restores them if the new login fails. */

import type { Host } from '../../host/host.ts';
import type { CredentialRecord, CredentialStore } from '../../kernel/credentials.ts';

/**
 * Keeps the client registration if possible, because a new one would leave an unused client at the provider.
 * Resolves to a function that restores the tokens. Undefined if there is nothing to restore.
 */
export async function setLoginAside(
  host: Pick<Host, 'logins' | 'removeAuth'>,
  name: string,
  store: CredentialStore | undefined,
): Promise<(() => Promise<void>) | undefined> {
  const login = (await host.logins()).find(({ server }) => server === name);
  const isKept = login !== undefined && login.backend !== 'memory';
  const record = isKept ? await store?.get(login.id) : undefined;
  if (login === undefined || store === undefined || record === undefined) {
    await host.removeAuth(name);
    return undefined;
  }
  const { tokens: _dropped, ...rest } = record;
  await store.set(login.id, rest);
  return async () => {
    const back = withTokens(record, await store.get(login.id));
    if (back !== undefined) await store.set(login.id, back);
  };
}

/**
 * Returns undefined if the user has logged in or out in the meantime, so that the tokens must not be
 * restored.
 */
function withTokens(
  before: CredentialRecord,
  now: CredentialRecord | undefined,
): CredentialRecord | undefined {
  const { tokens, generation, issuer } = before;
  if (tokens === undefined || now === undefined || now.tokens !== undefined) return undefined;
  if (now.generation !== generation) return undefined;
  // A client that was just registered at another issuer does not match these tokens.
  return now.issuer === issuer ? { ...now, tokens } : before;
}
