/**
 * Opens the credential store that the settings name. Logins that cannot be written stay in memory, with one
 * warning.
 */

import type { CredentialRecord, CredentialStore } from '../kernel/credentials.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Machine } from '../kernel/machine.ts';
import { createCredentialFile } from './credential-file.ts';
import { createCredentialKeychain } from './credential-keychain.ts';
import { createCredentialMemory } from './credential-memory.ts';

export type StoreKind = 'file' | 'keychain' | 'memory';

export interface NamedStore extends CredentialStore {
  /** Where this login is stored: in memory if it could not be written. */
  backendOf(id: string): string;
}

export function openCredentialStore(
  kind: StoreKind,
  machine: Machine,
  onWarning: (text: string) => void,
): NamedStore {
  switch (kind) {
    case 'file':
      return withMemory(createCredentialFile(machine, { onWarning }), 'file', onWarning);
    case 'keychain':
      return { ...createCredentialKeychain(), backendOf: () => 'keychain' };
    case 'memory':
      return { ...createCredentialMemory(), backendOf: () => 'memory' };
  }
}

/**
 * Holds logins in memory that the store cannot write: a full disk must not lose a login that was just made.
 */
export function withMemory(
  store: CredentialStore,
  name: string,
  onWarning: (text: string) => void,
): NamedStore {
  const unwritten = new Map<string, CredentialRecord | undefined>();
  let isTold = false;
  const write = async (id: string, record: CredentialRecord | undefined): Promise<void> => {
    try {
      if (record === undefined) await store.delete(id);
      else await store.set(id, record);
      unwritten.delete(id);
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      unwritten.set(id, record);
      if (!isTold)
        onWarning(`Logins cannot be stored and last only as long as this program: ${error.message}`);
      isTold = true;
    }
  };
  return {
    get: async (id) => (unwritten.has(id) ? unwritten.get(id) : read(() => store.get(id), undefined)),
    set: (id, record) => write(id, record),
    delete: (id) => write(id, undefined),
    list: async () => {
      // Report why there is no list rather than return an empty one, unless memory holds logins instead.
      const all = unwritten.size === 0 ? store.list() : read(() => store.list(), []);
      const kept = (await all).filter(({ id }) => !unwritten.has(id));
      const held = [...unwritten].flatMap(([id, record]) => (record === undefined ? [] : [{ id, record }]));
      return [...kept, ...held].toSorted((left, right) => (left.id < right.id ? -1 : 1));
    },
    backendOf: (id) => (unwritten.has(id) ? 'memory' : name),
  };
}

function isUnwritable(error: unknown): error is HoltError {
  return HoltError.is(error, 'config-unwritable');
}

/** Treats a home folder that cannot be accessed as one without logins. */
async function read<Result>(work: () => Promise<Result>, none: Result): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isUnwritable(error)) return none;
    throw error;
  }
}
