/** `reauth` drops the tokens and logs in. Those of a login that was good come back when the new one comes to nothing. */

import type { Host } from '../host/host.ts';
import type { CredentialRecord, CredentialStore } from '../kernel/credentials.ts';

/**
 * How holt is known to the provider stays where it can: registering anew would leave dead clients there. Gives what puts
 * the tokens back.
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

/** Undefined where they are wanted no longer: somebody has logged in, or out, meanwhile. */
function withTokens(
  before: CredentialRecord,
  now: CredentialRecord | undefined,
): CredentialRecord | undefined {
  const { tokens, generation, issuer } = before;
  if (tokens === undefined || now === undefined || now.tokens !== undefined) return undefined;
  if (now.generation !== generation) return undefined;
  // A client that was just registered at another issuer has no place beside tokens of this one.
  return now.issuer === issuer ? { ...now, tokens } : before;
}
