/**
 * Keeps logins usable: reads them, renews them ahead of their end and after a refusal, once for everybody in this process
 * and in all others. A provider that is down costs nothing that is stored; only its final word does, and only the token.
 */

import type { CredentialRecord, CredentialStore, StoredTokens } from '../kernel/credentials.ts';
import type { GuardedFetch } from '../network/guarded-fetch.ts';
import { configuredClient } from './flows/client-id.ts';
import { readLoginServer } from './flows/discover.ts';
import { isFinal, refreshTokens } from './flows/grants.ts';
import { isSameIssuer, type Challenge, type Fetch } from './flows/login-server.ts';
import { fetchClientTokens } from './flows/machine-login.ts';
import type { LoginTarget } from './login-target.ts';
import { findRecord, mayUse, shared, type FoundRecord } from './records.ts';

export interface KeeperParts {
  readonly store: CredentialStore;
  /** Held by one process at a time, for one login. */
  readonly lock: <Result>(credentialId: string, work: () => Promise<Result>) => Promise<Result>;
  readonly openFetch: (target: LoginTarget, signal?: AbortSignal) => Promise<GuardedFetch>;
  readonly wallNow: () => number;
  readonly random: () => number;
  /** Makes a value known as a secret. */
  readonly learn: (secret: string) => void;
  /** Whether an entry of a project may use a login of the user's; asked once. */
  readonly askSharing?: ((target: LoginTarget) => Promise<'once' | 'always' | 'no'>) | undefined;
  readonly debug: (server: string, message: string) => void;
}

export interface Refusal {
  /** The token that was turned down; none when none was sent. */
  readonly used: string | undefined;
  readonly challenge: Challenge;
  /** More than the token may do is asked for. */
  readonly wantsScope?: boolean;
}

export interface TokenKeeper {
  /** What to send now, renewed where its end is near; undefined without a login. */
  current(target: LoginTarget): Promise<StoredTokens | undefined>;
  /** After a refusal: other tokens, or undefined when it takes a person. Rejects when trying later may help. */
  renew(target: LoginTarget, refusal: Refusal): Promise<StoredTokens | undefined>;
  /** Reads, changes and keeps a login while nobody else touches it. */
  change(
    target: LoginTarget,
    edit: (record: CredentialRecord | undefined) => CredentialRecord | undefined,
  ): Promise<void>;
  find(target: LoginTarget): Promise<FoundRecord>;
  withFetch<Result>(
    target: LoginTarget,
    work: (fetch: Fetch) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result>;
}

const aheadMs = 60_000;
const jitterMs = 10_000;
/** After a renewal ahead of time failed, while the token is still good. */
const quietMs = 30_000;

export function createTokenKeeper(parts: KeeperParts): TokenKeeper {
  const { store, lock, wallNow, learn } = parts;
  const cache = new Map<string, CredentialRecord>();
  const running = new Map<string, Promise<StoredTokens | undefined>>();
  const quietUntil = new Map<string, number>();
  /** What people said about logins that were not made for the entry. */
  const said = new Map<string, Promise<'once' | 'always' | 'no'>>();
  const earlyMs = aheadMs + parts.random() * jitterMs;
  const keyOf = ({ credentialId, serverUrl }: LoginTarget): string =>
    JSON.stringify([credentialId, serverUrl]);

  const remember = (target: LoginTarget, record: CredentialRecord | undefined): void => {
    for (const secret of secretsOf(record)) learn(secret);
    if (record === undefined) cache.delete(keyOf(target));
    else cache.set(keyOf(target), record);
  };

  const find = async (target: LoginTarget): Promise<FoundRecord> => {
    const found = await findRecord(target, store);
    remember(target, found.record);
    return found;
  };

  const save = async (target: LoginTarget, id: string, record: CredentialRecord): Promise<void> => {
    remember(target, record);
    await store.set(id, record);
  };

  /** Asks about a login that was not made for this entry, at its first use. */
  const admit = async (
    target: LoginTarget,
    record: CredentialRecord | undefined,
  ): Promise<CredentialRecord | undefined> => {
    if (record?.tokens === undefined || !isBound(target, record)) return undefined;
    if (mayUse(target, record)) return record;
    const key = keyOf(target);
    const asking = said.get(key) ?? parts.askSharing?.(target) ?? Promise.resolve('no' as const);
    said.set(key, asking);
    const answer = await asking;
    if (answer !== 'always') return answer === 'once' ? record : undefined;
    const { id, record: latest = record } = await findRecord(target, store);
    if (mayUse(target, latest)) return latest;
    const lasting = shared(latest, target);
    await save(target, id, lasting);
    return lasting;
  };

  const withFetch = async <Result>(
    target: LoginTarget,
    work: (fetch: Fetch) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> => {
    const guarded = await parts.openFetch(target, signal);
    try {
      return await work(guarded.fetch);
    } finally {
      await guarded.close();
    }
  };

  const renewLocked = async (target: LoginTarget, refusal: Refusal): Promise<StoredTokens | undefined> => {
    const found = await find(target);
    const { id } = found;
    const record = await admit(target, found.record);
    const tokens = record?.tokens;
    const isOther = tokens !== undefined && tokens.access !== refusal.used && !isPast(tokens, wallNow());
    if (isOther && refusal.wantsScope !== true) return tokens;
    const next =
      target.oauth.grant === 'client_credentials'
        ? await withFetch(target, (fetch) =>
            fetchClientTokens({ target, record: found.record, ...refusal, wallNow }, fetch),
          )
        : await refreshed(target, record, refusal);
    if (next === undefined) return undefined;
    await save(target, id, { ...next, generation: (record?.generation ?? 0) + 1 });
    return next.tokens;
  };

  const refreshed = async (
    target: LoginTarget,
    record: CredentialRecord | undefined,
    { wantsScope }: Refusal,
  ): Promise<CredentialRecord | undefined> => {
    const { tokens, issuer, resource } = record ?? {};
    const client = configuredClient(target) ?? record?.client;
    // A refresh never gives more rights than the login had.
    if (wantsScope === true || record === undefined || client === undefined) return undefined;
    if (tokens?.refresh === undefined || issuer === undefined) return undefined;
    const { refresh } = tokens;
    try {
      return await withFetch(target, async (fetch) => {
        const known = await readLoginServer(target, issuer, fetch);
        const server = { ...known, ...(resource === undefined ? {} : { resource }) };
        const fresh = await refreshTokens({ server, client, tokens: { ...tokens, refresh } }, fetch, wallNow);
        return { ...record, tokens: fresh };
      });
    } catch (error) {
      if (!isFinal(error)) throw error;
      parts.debug(target.server, `the login can no longer be renewed: ${String(error)}`);
      // The dead token goes, so that it is not sent again and again; all else stays for the next login.
      const { refresh: _, ...rest } = tokens;
      if (isGrantGone(error)) await dropRefresh(target, { ...record, tokens: rest }, refresh);
      return undefined;
    }
  };

  const dropRefresh = async (
    target: LoginTarget,
    without: CredentialRecord,
    refresh: string,
  ): Promise<void> => {
    const { id, record } = await find(target);
    if (record?.tokens?.refresh === refresh) await save(target, id, without);
  };

  const renew = (target: LoginTarget, refusal: Refusal): Promise<StoredTokens | undefined> => {
    const key = keyOf(target);
    const known = cache.get(key)?.tokens;
    const isOther = known !== undefined && refusal.used !== undefined && known.access !== refusal.used;
    if (isOther && refusal.wantsScope !== true && !isPast(known, wallNow())) return Promise.resolve(known);
    const joined = running.get(key);
    if (joined !== undefined) return joined;
    const work = lock(target.credentialId, () => renewLocked(target, refusal)).finally(() =>
      running.delete(key),
    );
    running.set(key, work);
    return work;
  };

  const current = async (target: LoginTarget): Promise<StoredTokens | undefined> => {
    const key = keyOf(target);
    const cached = cache.get(key);
    const record = await admit(target, cached ?? (await find(target)).record);
    const tokens = record?.tokens;
    if (tokens?.refresh === undefined || tokens.expiresAt === undefined) return tokens;
    const isNear = tokens.expiresAt * 1000 - wallNow() < earlyMs;
    if (!isNear || wallNow() < (quietUntil.get(key) ?? 0)) return tokens;
    try {
      return (await renew(target, { used: tokens.access, challenge: {} })) ?? tokens;
    } catch (error) {
      // The server has not said no yet; until then the token that is there is used.
      quietUntil.set(key, wallNow() + quietMs);
      parts.debug(target.server, `renewing the login ahead of time failed: ${String(error)}`);
      return tokens;
    }
  };

  return {
    current,
    renew,
    find,
    withFetch,
    change: (target, edit) =>
      lock(target.credentialId, async () => {
        const { id, record } = await find(target);
        const next = edit(record);
        if (next !== undefined) return save(target, id, next);
        remember(target, undefined);
        if (record !== undefined) await store.delete(id);
      }),
  };
}

/** An entry that names another issuer than the login is from gets nothing of it. */
function isBound({ oauth }: LoginTarget, { issuer }: CredentialRecord): boolean {
  return oauth.issuer === undefined || issuer === undefined || isSameIssuer(issuer, oauth.issuer);
}

function isPast({ expiresAt }: StoredTokens, nowMs: number): boolean {
  return expiresAt !== undefined && expiresAt * 1000 <= nowMs;
}

function isGrantGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'invalid_grant';
}

function secretsOf(record: CredentialRecord | undefined): readonly string[] {
  const { tokens, client, pending } = record ?? {};
  return [tokens?.access, tokens?.refresh, client?.secret, pending?.codeVerifier].filter(
    (secret) => secret !== undefined,
  );
}
