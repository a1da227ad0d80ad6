/** Which stored login belongs to which server. The name is only a label: URL and issuer decide. */

import { createHash } from 'node:crypto';

import type { CredentialRecord, CredentialStore } from '../kernel/credentials.ts';
import type { LoginTarget } from './login-target.ts';

export interface FoundRecord {
  readonly id: string;
  readonly record: CredentialRecord | undefined;
}

/**
 * The login of this server. Where its name stands for another URL, that one's login is left alone and this one's is
 * kept under a name of its own.
 */
export async function findRecord(
  { credentialId, isNamed, serverUrl }: LoginTarget,
  store: CredentialStore,
): Promise<FoundRecord> {
  const first = await store.get(credentialId);
  if (first === undefined || first.serverUrl === serverUrl) return { id: credentialId, record: first };
  if (isNamed) return { id: credentialId, record: undefined };
  const id = `${credentialId}#${createHash('sha256').update(serverUrl).digest('hex').slice(0, 8)}`;
  const second = await store.get(id);
  return { id, record: second?.serverUrl === serverUrl ? second : undefined };
}

/** The name of the server in an id: `mcp:github` and `mcp:github#1a2b3c4d` are both github's. */
export function serverOf(id: string): string {
  return id.replace(/^mcp:/, '').replace(/#[0-9a-f]{8}$/, '');
}

export type LoginState = 'authenticated' | 'expired' | 'not_authenticated';

/** `nowMs` is the time of day in milliseconds. */
export function stateOf(record: CredentialRecord | undefined, nowMs: number): LoginState {
  const tokens = record?.tokens;
  if (tokens === undefined) return 'not_authenticated';
  if (tokens.refused !== undefined) return 'expired';
  const isPast = tokens.expiresAt !== undefined && tokens.expiresAt * 1000 <= nowMs;
  return isPast && tokens.refresh === undefined ? 'expired' : 'authenticated';
}

/** When the access token ends, in unix seconds; undefined where a refused renewal has ended the login before that. */
export function endOf(record: CredentialRecord, nowMs: number): number | undefined {
  const { refused, expiresAt = Number.POSITIVE_INFINITY } = record.tokens ?? {};
  const isOver = refused !== undefined && expiresAt * 1000 > nowMs;
  return isOver ? undefined : record.tokens?.expiresAt;
}

/** A project's entry needs a yes before it may use a login that was not made for it. */
export function mayUse({ sharing, isNamed }: LoginTarget, record: CredentialRecord): boolean {
  return sharing === undefined || isNamed || (record.sharedWith ?? []).includes(sharing);
}

/** The record with this entry among those that may use it. */
export function shared<Rest extends CredentialRecord>(record: Rest, { sharing }: LoginTarget): Rest {
  if (sharing === undefined) return record;
  return { ...record, sharedWith: [...new Set([...(record.sharedWith ?? []), sharing])] };
}
