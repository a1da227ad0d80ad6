/**
 * Keeps logins usable: reads them, and renews them before they expire and after a rejection. Each login has
 * at most one renewal at a time, across all processes. An unavailable provider does not affect stored logins;
 * only a final rejection does, and then only the token.
 */

import type { CredentialRecord, StoredTokens } from '../kernel/credentials.ts';
import type { Clock } from '../platform/clock.ts';
import type { GuardedFetch } from '../network/guarded-fetch.ts';
import { pause } from '../platform/waits.ts';
import type { Challenge, Fetch } from './flows/login-server.ts';
import { fetchClientTokens, asRenewable, renewRecord } from './flows/grants.ts';
import {
  createLoginRecords,
  isBetter,
  isDue,
  keyOf,
  usable,
  type LoginRecords,
  type LoginRecordsParts,
  type FoundRecord,
} from './login-records.ts';
import type { LoginTarget } from './login-target.ts';

export interface TokenSourceParts extends LoginRecordsParts {
  /** Runs `work` under a lock for this login that holds across processes. */
  readonly lock: <Result>(credentialId: string, work: () => Promise<Result>) => Promise<Result>;
  readonly openFetch: (target: LoginTarget, signal?: AbortSignal) => Promise<GuardedFetch>;
  readonly wallNow: () => number;
  readonly clock: Clock;
  /** Aborts the retries of a failed save. */
  readonly closing: AbortSignal;
  /** Called once per renewal when new tokens could not be saved; saving is retried. */
  readonly onUnsaved: (target: LoginTarget, error: unknown) => void;
  readonly debug: (server: string, message: string) => void;
}

export interface Refusal {
  /** The rejected token; undefined when none was sent. */
  readonly used: string | undefined;
  readonly challenge: Challenge;
  /** True when the server requires a larger scope than the token has. */
  readonly wantsScope?: boolean;
}

export interface TokenSource {
  /** Returns the tokens to send, renewed if they expire soon; undefined without a login. */
  current(target: LoginTarget): Promise<StoredTokens | undefined>;
  /**
   * Returns new tokens after a rejection, or undefined when the user has to log in. Rejects when a later
   * attempt may succeed.
   */
  renew(target: LoginTarget, refusal: Refusal): Promise<StoredTokens | undefined>;
  /** Reads, edits and stores a record under the lock. Deletes it when `edit` returns undefined. */
  change(
    target: LoginTarget,
    edit: (record: CredentialRecord | undefined) => CredentialRecord | undefined,
  ): Promise<void>;
  find(target: LoginTarget): Promise<FoundRecord>;
  /** Sends these tokens instead of the stored ones while `work` runs. Stores nothing. */
  tryTokens<Result>(target: LoginTarget, tokens: StoredTokens, work: () => Promise<Result>): Promise<Result>;
  /** Runs `work` with a guarded `fetch` for this target, and closes it afterwards. */
  withFetch<Result>(
    target: LoginTarget,
    work: (fetch: Fetch) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result>;
}

/** How long to wait after an early renewal failed while the token is still valid. */
const quietMs = 30_000;

export function createTokenSource(parts: TokenSourceParts): TokenSource {
  const { lock, wallNow } = parts;
  const records = createLoginRecords(parts);
  const running = new Map<string, Promise<StoredTokens | undefined>>();
  const quietUntil = new Map<string, number>();
  const tried = new Map<string, StoredTokens>();

  const renew = (target: LoginTarget, refusal: Refusal): Promise<StoredTokens | undefined> => {
    const key = keyOf(target);
    if (tried.has(key)) return Promise.resolve(undefined);
    const known = records.cached(target)?.tokens;
    if (refusal.used !== undefined && isBetter(known, refusal, wallNow())) return Promise.resolve(known);
    const joined = running.get(key);
    if (joined !== undefined) return joined;
    const work = new Promise<StoredTokens | undefined>((resolve, reject) => {
      // Hold the lock until the tokens are saved, or another process would use the same refresh token again.
      lock(target.credentialId, () => renewLocked(target, refusal, { ...parts, records, onTokens: resolve }))
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
    const known = records.cached(target) ?? (await records.find(target)).record;
    const tokens = (await records.admit(target, known))?.tokens;
    if (tokens === undefined || !isDue(tokens, wallNow())) return usable(tokens);
    if (wallNow() < (quietUntil.get(key) ?? 0)) return usable(tokens);
    try {
      const renewed = await renew(target, { used: tokens.access, challenge: {} });
      return renewed ?? usable(records.cached(target)?.tokens);
    } catch (error) {
      // The server still accepts the token, so use it until it is rejected.
      quietUntil.set(key, wallNow() + quietMs);
      parts.debug(target.server, `renewing the login ahead of time failed: ${String(error)}`);
      return usable(tokens);
    }
  };

  return {
    current,
    renew,
    find: (target) => records.find(target),
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
        const { id, record } = await records.find(target);
        const next = edit(record);
        if (next !== undefined) await records.save(target, id, next);
        else if (record !== undefined) await records.remove(target, id);
      }),
  };
}

interface LockedParts extends TokenSourceParts {
  readonly records: LoginRecords;
  /** Called with new tokens that are usable but not saved yet. */
  readonly onTokens: (tokens: StoredTokens | undefined) => void;
}

/** Renews the tokens under the lock, unless another process has already renewed them. */
async function renewLocked(
  target: LoginTarget,
  refusal: Refusal,
  parts: LockedParts,
): Promise<StoredTokens | undefined> {
  const { records, wallNow } = parts;
  const { id, record: found } = await records.find(target);
  const record = await records.admit(target, found);
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

/**
 * Saves renewed tokens and retries until it succeeds, because the old refresh token is used up and unsaved
 * tokens would be lost. Callers get the tokens in the meantime.
 */
async function saveRenewed(
  target: LoginTarget,
  id: string,
  record: CredentialRecord,
  { records, clock, closing, onUnsaved, onTokens }: LockedParts,
): Promise<void> {
  for (let afterMs = firstSaveAgainMs; ; afterMs = Math.min(afterMs * 2, longestSaveAgainMs)) {
    try {
      return await records.save(target, id, record);
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
  // A refresh never grants a larger scope.
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
 * Marks the login as expired; the registered client stays for the next one. Removes a refresh token that
 * the provider does not know (`invalid_grant`). After any other rejection it stays and is tried again, because
 * the entry may have been corrected.
 */
async function markRefused(
  target: LoginTarget,
  { refresh: sent, code }: { readonly refresh: string; readonly code: string },
  { records }: LockedParts,
): Promise<void> {
  const { id, record } = await records.find(target);
  if (record?.tokens?.refresh !== sent) return;
  const { refresh, ...rest } = record.tokens;
  const remaining = code === 'invalid_grant' ? rest : { ...rest, refresh };
  await records.save(target, id, { ...record, tokens: { ...remaining, refused: code } });
}

async function withFetch<Result>(
  target: LoginTarget,
  work: (fetch: Fetch) => Promise<Result>,
  { openFetch }: TokenSourceParts,
  signal?: AbortSignal,
): Promise<Result> {
  const guarded = await openFetch(target, signal);
  try {
    return await work(guarded.fetch);
  } finally {
    await guarded.close();
  }
}
