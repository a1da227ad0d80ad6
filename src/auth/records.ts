/** Finds the stored login of a server. The id is only a label; the URL and the issuer decide. */

import { sha256 } from '../kernel/hash.ts';
import type { CredentialRecord, CredentialStore } from '../kernel/credentials.ts';
import type { LoginTarget } from './login-target.ts';

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
