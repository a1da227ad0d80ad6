/**
 * Keeps logins usable: reads them, renews them ahead of their end and after a refusal, once for everybody in this process
 * and in all others. A provider that is down costs nothing that is stored; only its final word does, and only the token.
 */

import type { CredentialRecord, StoredTokens } from '../kernel/credentials.ts';
import { pause, type Clock } from '../platform/clock.ts';
import type { GuardedFetch } from '../network/guarded-fetch.ts';
import type { Challenge, Fetch } from './flows/login-server.ts';
import { fetchClientTokens } from './flows/machine-login.ts';
import { createCabinet, keyOf, type Cabinet, type CabinetParts } from './keeping/cabinet.ts';
import { asRenewable, renewRecord } from './keeping/refresh-record.ts';
import type { LoginTarget } from './login-target.ts';
import type { FoundRecord } from './records.ts';

export interface KeeperParts extends CabinetParts {
  /** Held by one process at a time, for one login. */
  readonly lock: <Result>(credentialId: string, work: () => Promise<Result>) => Promise<Result>;
  readonly openFetch: (target: LoginTarget, signal?: AbortSignal) => Promise<GuardedFetch>;
  readonly wallNow: () => number;
  readonly clock: Clock;
  /** Ends attempts to save what cannot be saved. */
  readonly closing: AbortSignal;
  /** New tokens could not be saved; it is tried again. Called once for each renewal. */
  readonly onUnsaved: (target: LoginTarget, error: unknown) => void;
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
  /** While the work runs, this process sends these tokens to the server in place of the stored ones. Nothing is stored. */
  tryTokens<Result>(target: LoginTarget, tokens: StoredTokens, work: () => Promise<Result>): Promise<Result>;
  withFetch<Result>(
    target: LoginTarget,
    work: (fetch: Fetch) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result>;
}

const aheadMs = 60_000;
/** After a renewal ahead of time failed, while the token is still good. */
const quietMs = 30_000;

export function createTokenKeeper(parts: KeeperParts): TokenKeeper {
  const { lock, wallNow } = parts;
  const cabinet = createCabinet(parts);
  const running = new Map<string, Promise<StoredTokens | undefined>>();
  const quietUntil = new Map<string, number>();
  const tried = new Map<string, StoredTokens>();

  const renew = (target: LoginTarget, refusal: Refusal): Promise<StoredTokens | undefined> => {
    const key = keyOf(target);
    if (tried.has(key)) return Promise.resolve(undefined);
    const known = cabinet.recall(target)?.tokens;
    if (refusal.used !== undefined && isBetter(known, refusal, wallNow())) return Promise.resolve(known);
    const joined = running.get(key);
    if (joined !== undefined) return joined;
    const work = new Promise<StoredTokens | undefined>((resolve, reject) => {
      // The lock is held until the tokens are saved: another process would use up the refresh token again.
      lock(target.credentialId, () => renewLocked(target, refusal, { ...parts, cabinet, onTokens: resolve }))
        .then(resolve, reject)
        .finally(() => running.delete(key))
        .catch(() => undefined);
    });
    running.set(key, work);
    return work;
  };

  const current = async (target: LoginTarget): Promise<StoredTokens | undefined> => {
    const key = keyOf(target);
    if (tried.has(key)) return tried.get(key);
    const known = cabinet.recall(target) ?? (await cabinet.find(target)).record;
    const tokens = (await cabinet.admit(target, known))?.tokens;
    if (tokens === undefined || !isDue(tokens, wallNow())) return usable(tokens);
    if (wallNow() < (quietUntil.get(key) ?? 0)) return usable(tokens);
    try {
      const renewed = await renew(target, { used: tokens.access, challenge: {} });
      return renewed ?? usable(cabinet.recall(target)?.tokens);
    } catch (error) {
      // The server has not refused the token yet; until then it is used.
      quietUntil.set(key, wallNow() + quietMs);
      parts.debug(target.server, `renewing the login ahead of time failed: ${String(error)}`);
      return usable(tokens);
    }
  };

  return {
    current,
    renew,
    find: (target) => cabinet.find(target),
    tryTokens: async (target, tokens, work) => {
      tried.set(keyOf(target), tokens);
      try {
        return await work();
      } finally {
        tried.delete(keyOf(target));
      }
    },
    withFetch: (target, work, signal) => withFetch(target, work, parts, signal),
    change: (target, edit) =>
      lock(target.credentialId, async () => {
        const { id, record } = await cabinet.find(target);
        const next = edit(record);
        if (next !== undefined) await cabinet.save(target, id, next);
        else if (record !== undefined) await cabinet.remove(target, id);
      }),
  };
}

interface LockedParts extends KeeperParts {
  readonly cabinet: Cabinet;
  /** For new tokens that may be used, but are not saved yet. */
  readonly onTokens: (tokens: StoredTokens | undefined) => void;
}

/** What another process has renewed meanwhile is taken as it is. */
async function renewLocked(
  target: LoginTarget,
  refusal: Refusal,
  parts: LockedParts,
): Promise<StoredTokens | undefined> {
  const { cabinet, wallNow } = parts;
  const { id, record: found } = await cabinet.find(target);
  const record = await cabinet.admit(target, found);
  if (isBetter(record?.tokens, refusal, wallNow())) return record?.tokens;
  const next =
    target.oauth.grant === 'client_credentials'
      ? await withFetch(
          target,
          (fetch) => fetchClientTokens({ target, record: found, ...refusal, wallNow }, fetch),
          parts,
        )
      : await refreshed(target, record, refusal, parts);
  if (next === undefined) return undefined;
  await saveRenewed(target, id, { ...next, generation: (record?.generation ?? 0) + 1 }, parts);
  return next.tokens;
}

const firstSaveAgainMs = 200;
const longestSaveAgainMs = 5000;

/** The old refresh token is used up: what is not saved is lost. Callers get the tokens meanwhile. */
async function saveRenewed(
  target: LoginTarget,
  id: string,
  record: CredentialRecord,
  { cabinet, clock, closing, onUnsaved, onTokens }: LockedParts,
): Promise<void> {
  for (let afterMs = firstSaveAgainMs; ; afterMs = Math.min(afterMs * 2, longestSaveAgainMs)) {
    try {
      return await cabinet.save(target, id, record);
    } catch (error) {
      if (afterMs === firstSaveAgainMs) onUnsaved(target, error);
      onTokens(record.tokens);
      await pause(afterMs, clock, closing);
    }
  }
}

async function refreshed(
  target: LoginTarget,
  record: CredentialRecord | undefined,
  { wantsScope }: Refusal,
  parts: LockedParts,
): Promise<CredentialRecord | undefined> {
  const renewable = asRenewable(target, record);
  // A refresh never gives more rights than the login had.
  if (wantsScope === true || renewable === undefined) return undefined;
  const renewal = await withFetch(
    target,
    (fetch) => renewRecord(target, renewable, fetch, parts.wallNow),
    parts,
  );
  if (renewal.kind === 'renewed') return renewal.record;
  parts.debug(target.server, `the login can no longer be renewed: ${String(renewal.error)}`);
  await markRefused(target, { refresh: renewable.tokens.refresh, code: renewal.error.code }, parts);
  return undefined;
}

/**
 * The login has expired; the registration stays for the next one. A refresh token that the provider does not know is dropped,
 * so that it is not sent again; after any other refusal it is tried again, because the entry may have been corrected.
 */
async function markRefused(
  target: LoginTarget,
  { refresh: sent, code }: { readonly refresh: string; readonly code: string },
  { cabinet }: LockedParts,
): Promise<void> {
  const { id, record } = await cabinet.find(target);
  if (record?.tokens?.refresh !== sent) return;
  const { refresh, ...rest } = record.tokens;
  const kept = code === 'invalid_grant' ? rest : { ...rest, refresh };
  await cabinet.save(target, id, { ...record, tokens: { ...kept, refused: code } });
}

async function withFetch<Result>(
  target: LoginTarget,
  work: (fetch: Fetch) => Promise<Result>,
  { openFetch }: KeeperParts,
  signal?: AbortSignal,
): Promise<Result> {
  const guarded = await openFetch(target, signal);
  try {
    return await work(guarded.fetch);
  } finally {
    await guarded.close();
  }
}

/** Tokens whose renewal was refused are not sent: the server would refuse them, or another one has them by now. */
function usable(tokens: StoredTokens | undefined): StoredTokens | undefined {
  return tokens?.refused === undefined ? tokens : undefined;
}

/** Whether they are to be renewed before they are used. */
function isDue(tokens: StoredTokens, nowMs: number): boolean {
  const { refresh, expiresAt, refused } = tokens;
  if (refresh === undefined) return false;
  if (refused !== undefined) return true;
  return expiresAt !== undefined && expiresAt * 1000 - nowMs < leadOf(tokens);
}

/**
 * How long before its end a token is renewed. A quarter of its life at most: with a fixed lead, a token that lives no
 * longer than the lead would be renewed at every call.
 */
function leadOf({ issuedAt, expiresAt }: StoredTokens): number {
  // A record of an older version has the full lead once; its renewal is stored with the time of issue.
  if (issuedAt === undefined || expiresAt === undefined) return aheadMs;
  return Math.min(aheadMs, Math.max(0, expiresAt - issuedAt) * 250);
}

/** Another token than the one that was turned down, and one that still counts. */
function isBetter(tokens: StoredTokens | undefined, { used, wantsScope }: Refusal, nowMs: number): boolean {
  if (tokens === undefined || wantsScope === true || tokens.access === used) return false;
  if (tokens.refused !== undefined) return false;
  return tokens.expiresAt === undefined || tokens.expiresAt * 1000 > nowMs;
}
