import { describe, expect, test } from 'vitest';

import type { CredentialRecord } from '../kernel/credentials.ts';
import { createCredentialKeychain, loadKeyring, type KeyringModule } from './credential-keychain.ts';

/** A keychain that takes no secret longer than Windows does. */
function fakeKeyring(stored = new Map<string, string>()): KeyringModule {
  return {
    AsyncEntry: class {
      readonly #key: string;
      constructor(service: string, account: string) {
        this.#key = `${service} ${account}`;
      }
      getPassword(): Promise<string | undefined> {
        return Promise.resolve(stored.get(this.#key));
      }
      setPassword(password: string): Promise<void> {
        if (password.length > 1280) throw new Error('too long');
        stored.set(this.#key, password);
        return Promise.resolve();
      }
      deletePassword(): Promise<boolean> {
        return Promise.resolve(stored.delete(this.#key));
      }
    },
    findCredentialsAsync: (service) =>
      Promise.resolve(
        [...stored].map(([key, password]) => ({ account: key.slice(service.length + 1), password })),
      ),
  };
}

const short: CredentialRecord = { serverUrl: 'https://a.test', tokens: { access: 'a' } };
const long: CredentialRecord = {
  serverUrl: 'https://b.test',
  tokens: { access: 'x'.repeat(5000), refresh: 'r' },
};

describe('logins in the keychain', () => {
  test('are read back unchanged at any length, and removed completely', async () => {
    const stored = new Map<string, string>();
    const store = createCredentialKeychain(() => Promise.resolve(fakeKeyring(stored)));
    await store.set('mcp:b', long);
    await store.set('mcp:a', short);
    expect([await store.get('mcp:a'), await store.get('mcp:b'), await store.get('mcp:c')]).toEqual([
      short,
      long,
      undefined,
    ]);
    expect(await store.list()).toEqual([
      { id: 'mcp:a', record: short },
      { id: 'mcp:b', record: long },
    ]);
    await store.set('mcp:b', short);
    expect(await store.get('mcp:b')).toEqual(short);
    await store.delete('mcp:b');
    await store.delete('mcp:a');
    expect([...stored.keys()]).toEqual([]);
  });

  test('fail without a keychain, and are never stored in a file instead', async () => {
    const store = createCredentialKeychain(() =>
      Promise.resolve({ ...fakeKeyring(), findCredentialsAsync: () => Promise.reject(new Error('no bus')) }),
    );
    await expect(store.list()).rejects.toMatchObject({
      code: 'credentials-unavailable',
      details: { store: 'keychain' },
    });
  });

  test('require the keyring module, which the error names', async () => {
    expect(await loadKeyring()).toMatchObject({ AsyncEntry: expect.any(Function) });
    await expect(loadKeyring('@napi-rs/no-such-keyring')).rejects.toMatchObject({
      code: 'credentials-unavailable',
      details: { store: 'keychain', reason: 'the package @napi-rs/no-such-keyring is not installed here' },
    });
  });
});
