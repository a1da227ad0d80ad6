/** Logins as they are in use: read from the store, remembered, known as secrets, and given only to who may use them. */

import type { CredentialRecord, CredentialStore } from '../../kernel/credentials.ts';
import { isSameIssuer } from '../flows/login-server.ts';
import type { LoginTarget } from '../login-target.ts';
import { findRecord, mayUse, shared, type FoundRecord } from '../records.ts';

export type Sharing = 'once' | 'always' | 'no';

export interface CabinetParts {
  readonly store: CredentialStore;
  /** Makes a value known as a secret. */
  readonly learn: (secret: string) => void;
  /** Whether an entry of a project may use a login of the user's; asked once. */
  readonly askSharing?: ((target: LoginTarget) => Promise<Sharing>) | undefined;
}

export interface Cabinet {
  /** As it was last seen here. */
  recall(target: LoginTarget): CredentialRecord | undefined;
  /** As it is stored now. */
  find(target: LoginTarget): Promise<FoundRecord>;
  save(target: LoginTarget, id: string, record: CredentialRecord): Promise<void>;
  remove(target: LoginTarget, id: string): Promise<void>;
  /** The record if this entry may use it. Asks about a login that was not made for it, at its first use. */
  admit(target: LoginTarget, record: CredentialRecord | undefined): Promise<CredentialRecord | undefined>;
}

export function keyOf({ credentialId, serverUrl }: LoginTarget): string {
  return JSON.stringify([credentialId, serverUrl]);
}

export function createCabinet({ store, learn, askSharing }: CabinetParts): Cabinet {
  const cache = new Map<string, CredentialRecord>();
  /** What people said about logins that were not made for the entry. */
  const said = new Map<string, Promise<Sharing>>();

  const remember = (target: LoginTarget, record: CredentialRecord | undefined): void => {
    for (const secret of secretsOf(record)) learn(secret);
    if (record === undefined) cache.delete(keyOf(target));
    else cache.set(keyOf(target), record);
  };
  const save = async (target: LoginTarget, id: string, record: CredentialRecord): Promise<void> => {
    remember(target, record);
    await store.set(id, record);
  };
  return {
    recall: (target) => cache.get(keyOf(target)),
    find: async (target) => {
      const found = await findRecord(target, store);
      remember(target, found.record);
      return found;
    },
    save,
    remove: async (target, id) => {
      remember(target, undefined);
      await store.delete(id);
    },
    admit: async (target, record) => {
      if (record?.tokens === undefined || !isBound(target, record)) return undefined;
      if (mayUse(target, record)) return record;
      const asking = said.get(keyOf(target)) ?? askSharing?.(target) ?? Promise.resolve('no');
      said.set(keyOf(target), asking);
      // A question that was called off says nothing about the next time.
      asking.catch(() => said.delete(keyOf(target)));
      const answer = await asking;
      if (answer !== 'always') return answer === 'once' ? record : undefined;
      const { id, record: latest = record } = await findRecord(target, store);
      if (mayUse(target, latest)) return latest;
      const lasting = shared(latest, target);
      await save(target, id, lasting);
      return lasting;
    },
  };
}

/** An entry that names another issuer than the login is from gets nothing of it. */
function isBound({ oauth }: LoginTarget, { issuer }: CredentialRecord): boolean {
  return oauth.issuer === undefined || issuer === undefined || isSameIssuer(issuer, oauth.issuer);
}

function secretsOf(record: CredentialRecord | undefined): readonly string[] {
  const { tokens, client, pending } = record ?? {};
  return [tokens?.access, tokens?.refresh, client?.secret, pending?.codeVerifier].filter(
    (secret) => secret !== undefined,
  );
}
