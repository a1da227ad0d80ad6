/** The steps that the login flows share, from discovery to a stored record. */

import type { AppIdentity } from './app-identity.ts';
import type { CredentialRecord, StoredTokens } from '../kernel/credentials.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Interaction } from '../kernel/interaction.ts';
import type { Clock } from '../platform/clock.ts';
import type { CallbackListener } from './callback-listener.ts';
import type { ChosenClient } from './flows/client-id.ts';
import { discoverLogin } from './flows/discover.ts';
import { isSameIssuer, type Challenge, type Fetch, type LoginServer } from './flows/login-server.ts';
import { fetchClientTokens } from './flows/grants.ts';
import { isClientRefused, ownClientRefused } from './login-errors.ts';
import type { LoginTarget } from './login-target.ts';
import { shared } from './login-records.ts';
import type { TokenSource } from './token-source.ts';

export interface FlowParts {
  readonly tokenSource: TokenSource;
  readonly listener: CallbackListener;
  readonly interaction: Interaction;
  readonly clock: Clock;
  readonly wallNow: () => number;
  /** The identity used when holt registers a client. */
  readonly app: AppIdentity;
  /** Registers a value as a secret, so that it is masked in output. */
  readonly learn: (secret: string) => void;
  readonly warn: WarnOfLogin;
}

/**
 * Reports events that no caller waits for: an ignored callback, or the failure of a login begun by `start`.
 */
export type WarnOfLogin = (
  server: string,
  code: 'login-callback-ignored' | 'login-failed',
  message: string,
) => void;

export interface FlowOptions {
  readonly challenge: Challenge | undefined;
  /** The login server, if it was just discovered while handling a rejected request. */
  readonly found?: LoginServer | undefined;
  readonly scope?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Returns the login server and the stored record of this server. Discovers the login server unless it is
 * already known.
 */
export async function findLoginServer(
  target: LoginTarget,
  { challenge, found }: Pick<FlowOptions, 'challenge' | 'found'>,
  { tokenSource }: FlowParts,
  fetch: Fetch,
): Promise<{ readonly server: LoginServer; readonly record: CredentialRecord | undefined }> {
  const { record } = await tokenSource.find(target);
  const server = found ?? (await discoverLogin(target, fetch, { challenge, known: record?.issuer }));
  return { server, record };
}

/** Conditions under which the login may still be stored. */
export interface Wanted {
  readonly signal: AbortSignal;
  /** Called under the lock, directly before the record is written. Throws if the login must not be stored. */
  readonly check?: (record: CredentialRecord | undefined) => void;
}

interface NewLogin {
  readonly server: LoginServer;
  readonly client: ChosenClient;
  readonly tokens: StoredTokens;
}

/** Stores a new login. Replaces the earlier one, but keeps the list of entries that may use it. */
export async function storeLogin(
  target: LoginTarget,
  login: NewLogin,
  { tokenSource }: FlowParts,
  { signal, check }: Wanted,
): Promise<void> {
  const { server, client, tokens } = login;
  await tokenSource.change(target, (record) => {
    signal.throwIfAborted();
    check?.(record);
    const { resource, issuer } = server;
    const fresh: CredentialRecord = {
      serverUrl: target.serverUrl,
      issuer,
      ...(resource === undefined ? {} : { resource }),
      ...(client.registered === undefined ? {} : { client: client.registered }),
      ...(record?.sharedWith === undefined ? {} : { sharedWith: record.sharedWith }),
      tokens,
      generation: (record?.generation ?? 0) + 1,
    };
    return shared(fresh, target);
  });
}

/** Stores the registered client immediately, so that it is not lost if the login fails. */
export async function storeClient(
  target: LoginTarget,
  { server, client }: Pick<NewLogin, 'server' | 'client'>,
  { tokenSource }: FlowParts,
): Promise<void> {
  const { registered } = client;
  const { record } = await tokenSource.find(target);
  if (registered === undefined || record?.client?.id === registered.id || !mayHoldClient(record, server))
    return;
  await tokenSource.change(target, (known) =>
    mayHoldClient(known, server)
      ? { ...known, serverUrl: target.serverUrl, issuer: server.issuer, client: registered }
      : known,
  );
}

/**
 * Whether the record may store a client of this login server. It may not if it holds usable tokens, or
 * rejected tokens of another issuer.
 */
export function mayHoldClient(record: CredentialRecord | undefined, { issuer }: LoginServer): boolean {
  if (record?.tokens === undefined) return true;
  return record.tokens.refused !== undefined && isSameIssuer(record.issuer ?? '', issuer);
}

/**
 * Always rejects. If the provider rejected a registered client, forgets that client, so that the next login
 * registers again.
 */
export async function failAs(
  { target, client }: { readonly target: LoginTarget; readonly client: ChosenClient },
  error: unknown,
  parts: FlowParts,
): Promise<never> {
  const refusal = HoltError.is(error) ? error.cause : error;
  if (!isClientRefused(refusal)) throw error;
  if (client.registered === undefined) throw ownClientRefused(target.server, refusal);
  await forgetClient(target, client.registered.id, parts);
  throw error;
}

/** Removes the registered client with this id from the record. */
async function forgetClient(target: LoginTarget, id: string, { tokenSource }: FlowParts): Promise<void> {
  await tokenSource.change(target, (record) => {
    if (record?.client?.id !== id) return record;
    const { client: _, ...rest } = record;
    return rest;
  });
}

/** Runs a client-credentials login, which needs no user, and stores its tokens. */
export async function runMachine(target: LoginTarget, options: FlowOptions, parts: FlowParts): Promise<void> {
  const { tokenSource, wallNow } = parts;
  const { challenge = {}, scope, signal } = options;
  const { record: before } = await tokenSource.find(target);
  const record = await tokenSource.withFetch(
    target,
    (fetch) => fetchClientTokens({ target, record: before, challenge, scope, wallNow }, fetch),
    signal,
  );
  await tokenSource.change(target, (known) => {
    signal.throwIfAborted();
    return { ...record, generation: (known?.generation ?? 0) + 1 };
  });
}
