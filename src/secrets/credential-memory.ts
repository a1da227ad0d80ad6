/** Stores logins until the process ends: for programs that must not write to disk, and for tests. */

import type { CredentialRecord, CredentialStore } from '../kernel/credentials.ts';

export function createCredentialMemory(): CredentialStore {
  const credentials = new Map<string, CredentialRecord>();
  return {
    get: async (id) => credentials.get(id),
    set: async (id, record) => {
      credentials.set(id, structuredClone(record));
    },
    delete: async (id) => {
      credentials.delete(id);
    },
    list: async () =>
      [...credentials]
        .map(([id, record]) => ({ id, record }))
        .toSorted((left, right) => (left.id < right.id ? -1 : 1)),
  };
}
