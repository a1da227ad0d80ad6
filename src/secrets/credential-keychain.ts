/**
 * Stores logins in the system's own store: Keychain, Credential Manager, Secret Service. The module for it is
 * optional. A missing module is an error, because the user asked for the keychain and not for a file.
 */

import type * as Keyring from '@napi-rs/keyring';

import type { CredentialRecord, CredentialStore } from '../kernel/credentials.ts';
import { HoltError } from '../kernel/errors.ts';
import { isCredentialRecord } from './credential-records.ts';

/** The part of the module that holt uses. */
export interface KeyringModule {
  readonly AsyncEntry: new (
    service: string,
    account: string,
  ) => {
    getPassword(): Promise<string | null | undefined>;
    setPassword(password: string): Promise<void>;
    deletePassword(): Promise<unknown>;
  };
  readonly findCredentialsAsync: (
    service: string,
  ) => Promise<readonly { readonly account: string; readonly password: string }[]>;
}

const service = 'holt';
/** Windows allows 2,560 bytes per secret, at two bytes per character; tokens are often longer. */
const pieceLength = 1200;
const more = '\u0000';

/**
 * Rejects with `credentials-unavailable` when the module is not installed. The name is a parameter because
 * bundlers follow a literal name and fail on the native file behind it. The comments in the import prevent
 * warnings of webpack, Turbopack and Vite about a name that they cannot know.
 */
export async function loadKeyring(name = '@napi-rs/keyring'): Promise<KeyringModule> {
  try {
    const loaded: typeof Keyring = await import(
      /* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name
    );
    return loaded;
  } catch (error) {
    throw unavailable(`the package ${name} is not installed here`, error);
  }
}

export function createCredentialKeychain(load: () => Promise<KeyringModule> = loadKeyring): CredentialStore {
  let module: Promise<KeyringModule> | undefined;
  const ask = async <Result>(work: (keyring: KeyringModule) => Promise<Result>): Promise<Result> => {
    const keyring = await (module ??= load());
    try {
      return await work(keyring);
    } catch (error) {
      throw HoltError.is(error) ? error : unavailable('the keychain of this system does not answer', error);
    }
  };

  const readText = async (keyring: KeyringModule, id: string): Promise<string | undefined> => {
    const pieces: string[] = [];
    for (;;) {
      const piece = await new keyring.AsyncEntry(service, accountOf(id, pieces.length)).getPassword();
      if (typeof piece !== 'string') return undefined;
      pieces.push(piece.replace(/^[+.]/, ''));
      if (!piece.startsWith('+')) return pieces.join('');
    }
  };

  /** Writes later pieces first: a reader starts with the first piece, which therefore changes last. */
  const writeText = async (keyring: KeyringModule, id: string, text: string): Promise<void> => {
    const count = Math.max(1, Math.ceil(text.length / pieceLength));
    for (let piece = count - 1; piece >= 0; piece -= 1) {
      const part = text.slice(piece * pieceLength, (piece + 1) * pieceLength);
      const mark = piece === count - 1 ? '.' : '+';
      await new keyring.AsyncEntry(service, accountOf(id, piece)).setPassword(`${mark}${part}`);
    }
  };

  const remove = async (keyring: KeyringModule, id: string): Promise<void> => {
    const all = await keyring.findCredentialsAsync(service);
    const own = all.filter(({ account }) => account === id || account.startsWith(`${id}${more}`));
    for (const { account } of own) await new keyring.AsyncEntry(service, account).deletePassword();
  };

  return {
    get: (id) => ask(async (keyring) => parse(await readText(keyring, id))),
    set: (id, record) => ask((keyring) => writeText(keyring, id, JSON.stringify(record))),
    delete: (id) => ask((keyring) => remove(keyring, id)),
    list: () =>
      ask(async (keyring) => {
        const accounts = (await keyring.findCredentialsAsync(service)).map(({ account }) => account);
        const ids = accounts.filter((account) => !account.includes(more)).toSorted();
        const found = await Promise.all(
          ids.map(async (id) => ({ id, record: parse(await readText(keyring, id)) })),
        );
        return found.flatMap(({ id, record }) => (record === undefined ? [] : [{ id, record }]));
      }),
  };
}

function accountOf(id: string, piece: number): string {
  return piece === 0 ? id : `${id}${more}${piece}`;
}

function parse(text: string | undefined): CredentialRecord | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isCredentialRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function unavailable(reason: string, cause: unknown): HoltError<'credentials-unavailable'> {
  return new HoltError(
    'credentials-unavailable',
    `Logins are to be kept in the keychain, but ${reason}`,
    { store: 'keychain', reason },
    { cause, remedy: 'Install it, or set credentialStore to "file".' },
  );
}
