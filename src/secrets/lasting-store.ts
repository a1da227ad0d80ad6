/**
 * The store that the settings name, for logins that must outlast the command that stores them. Opened on
 * first use. Its methods reject with `credentials-unavailable` when the settings name the memory store.
 */

import type { CredentialStore } from '../kernel/credentials.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Machine } from '../kernel/machine.ts';
import { createCredentialFile } from './credential-file.ts';
import { createCredentialKeychain } from './credential-keychain.ts';
import type { StoreKind } from './credential-stores.ts';

export function lastingStore(kind: () => Promise<StoreKind>, machine: Machine): CredentialStore {
  let opened: Promise<CredentialStore> | undefined;
  const store = (): Promise<CredentialStore> => (opened ??= kind().then((named) => open(named, machine)));
  return {
    get: async (id) => (await store()).get(id),
    set: async (id, record) => (await store()).set(id, record),
    delete: async (id) => (await store()).delete(id),
    list: async () => (await store()).list(),
  };
}

function open(kind: StoreKind, machine: Machine): CredentialStore {
  switch (kind) {
    case 'file':
      return createCredentialFile(machine);
    case 'keychain':
      return createCredentialKeychain();
    case 'memory': {
      const reason = 'credentialStore is "memory", and what is kept there ends with this command';
      throw new HoltError(
        'credentials-unavailable',
        `The login cannot be kept: ${reason}`,
        { store: 'memory', reason },
        { remedy: 'Set credentialStore to "file" or "keychain".' },
      );
    }
  }
}
