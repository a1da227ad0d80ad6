/**
 * Opens the credential store that the settings name: for a host, which holds logins that cannot be written in
 * memory, or for a command, whose logins must outlast it.
 */

import type { CredentialRecord, CredentialStore } from '../kernel/credentials.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Machine } from '../kernel/machine.ts';
import { createCredentialFile } from './credential-file.ts';
import { createCredentialKeychain } from './credential-keychain.ts';

export type StoreKind = 'file' | 'keychain' | 'memory';

export interface NamedStore extends CredentialStore {
  /** Where this login is stored: in memory if it could not be written. */
  backendOf(id: string): string;
}

/** Opens the store of a host. */
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
  let hasWarned = false;
  const write = async (id: string, record: CredentialRecord | undefined): Promise<void> => {
    try {
      if (record === undefined) await store.delete(id);
      else await store.set(id, record);
      unwritten.delete(id);
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      unwritten.set(id, record);
      if (!hasWarned)
        onWarning(`Logins cannot be stored and last only as long as this program: ${error.message}`);
      hasWarned = true;
    }
  };
  return {
    get: async (id) => (unwritten.has(id) ? unwritten.get(id) : read(() => store.get(id), undefined)),
    set: (id, record) => write(id, record),
    delete: (id) => write(id, undefined),
    list: async () => {
      // Report why there is no list rather than return an empty one, unless memory holds logins instead.
      const all = unwritten.size === 0 ? store.list() : read(() => store.list(), []);
      const stored = (await all).filter(({ id }) => !unwritten.has(id));
      const held = [...unwritten].flatMap(([id, record]) => (record === undefined ? [] : [{ id, record }]));
      return [...stored, ...held].toSorted((left, right) => (left.id < right.id ? -1 : 1));
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

/** Stores logins until the process ends: for programs that must not write to disk, and for tests. */
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

/**
 * Opens the store on first use, for logins that must outlast the command that stores them. Its methods reject
 * with `credentials-unavailable` when the settings name the memory store.
 */
export function openPersistentStore(kind: () => Promise<StoreKind>, machine: Machine): CredentialStore {
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
