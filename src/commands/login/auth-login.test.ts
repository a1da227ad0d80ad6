/** A login that is set aside for a new one comes back unless it is wanted no longer. */

import { expect, test } from 'vitest';

import type { LoginInfo } from '../../host/host.ts';
import type { CredentialRecord, CredentialStore } from '../../kernel/credentials.ts';
import { createCredentialMemory } from '../../secrets/credential-stores.ts';
import { removeTokens } from './auth-login.ts';

const id = 'mcp:wiki';
const login: LoginInfo = {
  id,
  server: 'wiki',
  url: 'https://wiki.test/mcp',
  status: 'authenticated',
  scopes: [],
  backend: 'file',
};
const client = { id: 'first' };
const rest = { serverUrl: login.url, issuer: 'https://login.test', client, generation: 3 };
const good: CredentialRecord = { ...rest, tokens: { access: 'a' } };

/** What is stored after a login that was set aside, this change to the store, and the putting back. */
async function after(
  change: (store: CredentialStore) => Promise<void>,
): Promise<CredentialRecord | undefined> {
  const store = createCredentialMemory();
  await store.set(id, good);
  const host = {
    logins: () => Promise.resolve([login]),
    removeAuth: () => Promise.resolve({ removed: false, revoked: false }),
  };
  const restore = await removeTokens(host, 'wiki', store);
  expect(await store.get(id)).toEqual(rest);
  await change(store);
  await restore?.();
  return store.get(id);
}

test.each<[string, CredentialRecord | undefined, CredentialRecord | undefined]>([
  ['comes back as it was', rest, good],
  [
    'comes back beside a client of the same issuer',
    { ...rest, client: { id: 'second' } },
    { ...good, client: { id: 'second' } },
  ],
  [
    'comes back without a client of another issuer',
    { ...rest, issuer: 'https://other.test', client: { id: 'second' } },
    good,
  ],
  [
    'gives way to a new one',
    { ...rest, tokens: { access: 'b' }, generation: 4 },
    { ...rest, tokens: { access: 'b' }, generation: 4 },
  ],
  [
    'stays away when somebody has logged out',
    { serverUrl: login.url, issuer: rest.issuer, client },
    { serverUrl: login.url, issuer: rest.issuer, client },
  ],
  ['stays away when all was forgotten', undefined, undefined],
])('a login that was set aside %s', async (_, meanwhile, expected) => {
  const change = (store: CredentialStore): Promise<void> =>
    meanwhile === undefined ? store.delete(id) : store.set(id, meanwhile);
  expect(await after(change)).toEqual(expected);
});
