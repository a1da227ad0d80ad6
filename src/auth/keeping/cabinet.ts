/**
 * Access to stored logins. Caches records, registers their secrets for masking, and checks whether an entry
 * may use a login.
 */

import type { CredentialRecord, CredentialStore } from '../../kernel/credentials.ts';
import { isSameIssuer } from '../flows/login-server.ts';
import type { LoginTarget } from '../login-target.ts';
import { findRecord, mayUse, shared, type FoundRecord } from '../records.ts';

export type Sharing = 'once' | 'always' | 'no';

export interface CabinetParts {
  readonly store: CredentialStore;
  /** Registers a value as a secret, so that it is masked in output. */
  readonly learn: (secret: string) => void;
  /** Asks whether a project's entry may use one of the user's logins. Asked once per login. */
  readonly askSharing?: ((target: LoginTarget) => Promise<Sharing>) | undefined;
}

export interface Cabinet {
  /** Returns the cached record. */
  recall(target: LoginTarget): CredentialRecord | undefined;
  /** Reads the stored record. */
  find(target: LoginTarget): Promise<FoundRecord>;
  save(target: LoginTarget, id: string, record: CredentialRecord): Promise<void>;
  remove(target: LoginTarget, id: string): Promise<void>;
  /**
   * Returns the record if this entry may use it. Asks the user at the first use of a login that was not made
   * for this entry.
   */
  admit(target: LoginTarget, record: CredentialRecord | undefined): Promise<CredentialRecord | undefined>;
}

/** Identifies a login in memory: credential id and server URL. */
export function keyOf({ credentialId, serverUrl }: LoginTarget): string {
  return JSON.stringify([credentialId, serverUrl]);
}

export function createCabinet({ store, learn, askSharing }: CabinetParts): Cabinet {
  const cache = new Map<string, CredentialRecord>();
  /** The user's answers about logins that were not made for the entry. */
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
      // A cancelled question is asked again the next time.
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

/** An entry that configures an issuer may use only logins from that issuer. */
function isBound({ oauth }: LoginTarget, { issuer }: CredentialRecord): boolean {
  return oauth.issuer === undefined || issuer === undefined || isSameIssuer(issuer, oauth.issuer);
}

function secretsOf(record: CredentialRecord | undefined): readonly string[] {
  const { tokens, client, pending } = record ?? {};
  return [tokens?.access, tokens?.refresh, client?.secret, pending?.codeVerifier].filter(
    (secret) => secret !== undefined,
  );
}
