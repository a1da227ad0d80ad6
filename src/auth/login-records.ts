/**
 * Stored logins: which record belongs to a server, what state it is in, whether an entry may use it, and a cache of
 * the records in use.
 */

import type { CredentialRecord, CredentialStore, StoredTokens } from '../kernel/credentials.ts';
import { sha256 } from '../kernel/hash.ts';
import { isSameIssuer } from './flows/login-server.ts';
import { shownUrl, type LoginTarget } from './login-target.ts';

export interface FoundRecord {
  readonly id: string;
  readonly record: CredentialRecord | undefined;
}

/**
 * Returns the stored login of this server. If its id is taken by a login for another URL, that one is left
 * alone and this server uses an id of its own.
 */
export async function findRecord(
  { credentialId, isNamed, serverUrl }: LoginTarget,
  store: CredentialStore,
): Promise<FoundRecord> {
  const first = await store.get(credentialId);
  if (first === undefined || first.serverUrl === serverUrl) return { id: credentialId, record: first };
  if (isNamed) return { id: credentialId, record: undefined };
  const id = `${credentialId}#${sha256(serverUrl).slice(0, 8)}`;
  const second = await store.get(id);
  return { id, record: second?.serverUrl === serverUrl ? second : undefined };
}

/** Returns the server name from an id: `mcp:github` and `mcp:github#1a2b3c4d` both belong to `github`. */
export function serverOf(id: string): string {
  return id.replace(/^mcp:/, '').replace(/#[0-9a-f]{8}$/, '');
}

export type LoginState = 'authenticated' | 'expired' | 'not_authenticated';

/** `nowMs` is the wall-clock time in milliseconds. */
export function stateOf(record: CredentialRecord | undefined, nowMs: number): LoginState {
  const tokens = record?.tokens;
  if (tokens === undefined) return 'not_authenticated';
  if (tokens.refused !== undefined) return 'expired';
  const isPast = tokens.expiresAt !== undefined && tokens.expiresAt * 1000 <= nowMs;
  return isPast && tokens.refresh === undefined ? 'expired' : 'authenticated';
}

/**
 * When the access token expires, in Unix seconds; undefined if a rejected renewal ended the login before
 * that.
 */
export function endOf(record: CredentialRecord, nowMs: number): number | undefined {
  const { refused, expiresAt = Number.POSITIVE_INFINITY } = record.tokens ?? {};
  const isOver = refused !== undefined && expiresAt * 1000 > nowMs;
  return isOver ? undefined : record.tokens?.expiresAt;
}

/**
 * Whether this entry may use the login. A project's entry needs the user's consent for a login that was not
 * made for it.
 */
export function mayUse({ sharing, isNamed }: LoginTarget, record: CredentialRecord): boolean {
  return sharing === undefined || isNamed || (record.sharedWith ?? []).includes(sharing);
}

/** Returns the record with this entry added to those that may use it. */
export function shared<Rest extends CredentialRecord>(record: Rest, { sharing }: LoginTarget): Rest {
  if (sharing === undefined) return record;
  return { ...record, sharedWith: [...new Set([...(record.sharedWith ?? []), sharing])] };
}

/** A stored login without its secrets. */
export interface LoginInfo {
  readonly id: string;
  readonly server: string;
  readonly url: string;
  readonly issuer?: string;
  readonly status: LoginState;
  /** In Unix seconds. */
  readonly expiresAt?: number;
  readonly scopes: readonly string[];
  readonly backend: string;
}

export function describeLogin(
  id: string,
  record: CredentialRecord,
  backend: string,
  nowMs: number,
): LoginInfo {
  const { issuer, tokens, serverUrl } = record;
  const expiresAt = endOf(record, nowMs);
  return {
    id,
    server: serverOf(id),
    url: URL.canParse(serverUrl) ? shownUrl(serverUrl) : '',
    ...(issuer === undefined ? {} : { issuer }),
    status: stateOf(record, nowMs),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    scopes: (tokens?.scope ?? '').split(' ').filter((scope) => scope !== ''),
    backend,
  };
}

const aheadMs = 60_000;

/**
 * Tokens whose renewal was rejected are not sent: the server would reject them, or they have been replaced.
 */
export function usable(tokens: StoredTokens | undefined): StoredTokens | undefined {
  return tokens?.refused === undefined ? tokens : undefined;
}

/** Whether to renew the tokens before using them. */
export function isDue(tokens: StoredTokens, nowMs: number): boolean {
  const { refresh, expiresAt, refused } = tokens;
  if (refresh === undefined) return false;
  if (refused !== undefined) return true;
  return expiresAt !== undefined && expiresAt * 1000 - nowMs < leadOf(tokens);
}

/**
 * Milliseconds before expiry at which to renew a token: at most a quarter of its lifetime. With a fixed lead,
 * a token with a lifetime shorter than the lead would be renewed on every call.
 */
function leadOf({ issuedAt, expiresAt }: StoredTokens): number {
  // Records from older versions have no issue time and get the full lead once; the renewal stores it.
  if (issuedAt === undefined || expiresAt === undefined) return aheadMs;
  return Math.min(aheadMs, Math.max(0, expiresAt - issuedAt) * 250);
}

/** Whether these tokens differ from the rejected one and are still valid. */
export function isBetter(
  tokens: StoredTokens | undefined,
  { used, wantsScope }: { readonly used: string | undefined; readonly wantsScope?: boolean },
  nowMs: number,
): boolean {
  if (tokens === undefined || wantsScope === true || tokens.access === used) return false;
  if (tokens.refused !== undefined) return false;
  return tokens.expiresAt === undefined || tokens.expiresAt * 1000 > nowMs;
}

export type Sharing = 'once' | 'always' | 'no';

export interface LoginRecordsParts {
  readonly store: CredentialStore;
  /** Registers a value as a secret, so that it is masked in output. */
  readonly learn: (secret: string) => void;
  /** Asks whether a project's entry may use one of the user's logins. Asked once per login. */
  readonly askSharing?: ((target: LoginTarget) => Promise<Sharing>) | undefined;
}

export interface LoginRecords {
  /** Returns the cached record. */
  cached(target: LoginTarget): CredentialRecord | undefined;
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

export function createLoginRecords({ store, learn, askSharing }: LoginRecordsParts): LoginRecords {
  const cache = new Map<string, CredentialRecord>();
  /** The user's answers about logins that were not made for the entry. */
  const answers = new Map<string, Promise<Sharing>>();

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
    cached: (target) => cache.get(keyOf(target)),
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
      const asking = answers.get(keyOf(target)) ?? askSharing?.(target) ?? Promise.resolve('no');
      answers.set(keyOf(target), asking);
      // A cancelled question is asked again the next time.
      asking.catch(() => answers.delete(keyOf(target)));
      const answer = await asking;
      if (answer !== 'always') return answer === 'once' ? record : undefined;
      const { id, record: latest = record } = await findRecord(target, store);
      if (mayUse(target, latest)) return latest;
      const updated = shared(latest, target);
      await save(target, id, updated);
      return updated;
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
