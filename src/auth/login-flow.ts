/** One login from its beginning to a stored record, by whichever flow. */

import type { AppIdentity } from './app-identity.ts';
import type { CredentialRecord, StoredTokens } from '../kernel/credentials.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Interaction } from '../kernel/interaction.ts';
import type { Clock } from '../platform/clock.ts';
import { usualCallbackPort, type CallbackListener, type OpenCallback } from './callback-listener.ts';
import {
  beginLogin,
  exchangeCode,
  requireLoginPage,
  type BrowserAnswer,
  type BrowserLogin,
} from './flows/browser.ts';
import { chooseClient, type ChosenClient } from './flows/client-id.ts';
import { discoverLogin } from './flows/discover.ts';
import { isSameIssuer, type Challenge, type Fetch, type LoginServer } from './flows/login-server.ts';
import { fetchClientTokens } from './flows/machine-login.ts';
import { chooseScope } from './flows/scopes.ts';
import { isClientRefused, ownClientRefused } from './login-errors.ts';
import type { LoginTarget } from './login-target.ts';
import { shared } from './records.ts';
import type { TokenKeeper } from './token-keeper.ts';

export interface FlowParts {
  readonly keeper: TokenKeeper;
  readonly listener: CallbackListener;
  readonly interaction: Interaction;
  readonly clock: Clock;
  readonly wallNow: () => number;
  /** As what a client is registered. */
  readonly app: AppIdentity;
  /** Makes a value known as a secret. */
  readonly learn: (secret: string) => void;
  readonly warn: WarnOfLogin;
}

/** Reports what no caller waits for: a callback that was ignored, or the failure of a login that `start` began. */
export type WarnOfLogin = (
  server: string,
  code: 'login-callback-ignored' | 'login-failed',
  message: string,
) => void;

export interface FlowOptions {
  readonly challenge: Challenge | undefined;
  /** Just found, when the server refused a request. */
  readonly found?: LoginServer | undefined;
  readonly scope?: string | undefined;
  readonly signal: AbortSignal;
}

/** All that is decided before a person is asked for anything. */
export interface PreparedLogin {
  readonly target: LoginTarget;
  readonly server: LoginServer;
  readonly client: ChosenClient;
  readonly scope: string | undefined;
  readonly login: BrowserLogin;
  readonly callback: OpenCallback;
}

/** Who logs people in to this server. */
export async function findLoginServer(
  target: LoginTarget,
  { challenge, found }: Pick<FlowOptions, 'challenge' | 'found'>,
  { keeper }: FlowParts,
  fetch: Fetch,
): Promise<{ readonly server: LoginServer; readonly record: CredentialRecord | undefined }> {
  const { record } = await keeper.find(target);
  const server = found ?? (await discoverLogin(target, fetch, { challenge, known: record?.issuer }));
  return { server, record };
}

/** The port is taken first: one that is needed and not free ends it before anybody outside is asked. */
export async function prepareBrowser(
  target: LoginTarget,
  options: FlowOptions,
  parts: FlowParts,
): Promise<PreparedLogin> {
  const callback = await parts.listener.open(placeFor(target));
  try {
    return await parts.keeper.withFetch(
      target,
      async (fetch) => {
        const { server, record } = await findLoginServer(target, options, parts, fetch);
        requireLoginPage(target, server);
        const { scope: asked, challenge } = options;
        const scope = chooseScope({ target, server, record, challenge, asked });
        const redirectUri = target.oauth.redirectUri ?? callback.redirectUri;
        const now = parts.wallNow() / 1000;
        const { app } = parts;
        const client = await chooseClient({ target, server, record, redirectUri, app, now }, fetch);
        await keepClient(target, { server, client }, parts);
        const login = await beginLogin({ server, client: client.identity, redirectUri, scope });
        learnAll([login.codeVerifier, client.identity.secret], parts);
        return { target, server, client, scope, login, callback };
      },
      options.signal,
    );
  } catch (error) {
    await callback.release();
    throw error;
  }
}

/** A client that somebody registered by hand has its redirect registered with it, port and all. */
function placeFor({ server, oauth }: LoginTarget): Parameters<CallbackListener['open']>[0] {
  const { redirectUri, callbackPort, clientId, clientMetadataUrl } = oauth;
  const own = redirectUri !== undefined && URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  const port = callbackPort ?? (own === undefined || own.port === '' ? usualCallbackPort : Number(own.port));
  const fixed = [redirectUri, callbackPort, clientId, clientMetadataUrl].some((said) => said !== undefined);
  return { server, port, fixed, ...(own === undefined ? {} : { path: own.pathname }) };
}

/** Whether a login is still to be kept. */
export interface Wanted {
  readonly signal: AbortSignal;
  /** Called when nothing can come between it and the writing; throws where what is stored speaks against it. */
  readonly check?: (record: CredentialRecord | undefined) => void;
}

export async function finishBrowser(
  { target, server, client, login }: PreparedLogin,
  answer: BrowserAnswer,
  parts: FlowParts,
  wanted: Wanted,
): Promise<void> {
  parts.learn(answer.code);
  const tokens = await parts.keeper
    .withFetch(
      target,
      (fetch) => exchangeCode({ server, client: client.identity, login, answer }, fetch, parts.wallNow),
      wanted.signal,
    )
    .catch((error: unknown) => failAs({ target, client }, error, parts));
  await keepLogin(target, { server, client, tokens }, parts, wanted);
}

interface NewLogin {
  readonly server: LoginServer;
  readonly client: ChosenClient;
  readonly tokens: StoredTokens;
}

/** What an earlier login had is replaced, but not the entries that may use it. */
export async function keepLogin(
  target: LoginTarget,
  login: NewLogin,
  { keeper }: FlowParts,
  { signal, check }: Wanted,
): Promise<void> {
  const { server, client, tokens } = login;
  await keeper.change(target, (record) => {
    signal.throwIfAborted();
    check?.(record);
    const { resource, issuer } = server;
    const fresh: CredentialRecord = {
      serverUrl: target.serverUrl,
      issuer,
      ...(resource === undefined ? {} : { resource }),
      ...(client.kept === undefined ? {} : { client: client.kept }),
      ...(record?.sharedWith === undefined ? {} : { sharedWith: record.sharedWith }),
      tokens,
      generation: (record?.generation ?? 0) + 1,
    };
    return shared(fresh, target);
  });
}

/** Registered is registered, whatever becomes of the login. */
async function keepClient(
  target: LoginTarget,
  { server, client }: Pick<NewLogin, 'server' | 'client'>,
  { keeper }: FlowParts,
): Promise<void> {
  const { kept } = client;
  const { record } = await keeper.find(target);
  if (kept === undefined || record?.client?.id === kept.id || !mayHoldClient(record, server)) return;
  await keeper.change(target, (known) =>
    mayHoldClient(known, server)
      ? { ...known, serverUrl: target.serverUrl, issuer: server.issuer, client: kept }
      : known,
  );
}

/** Beside tokens that are in use, or of another issuer, there is no place for a new client. */
export function mayHoldClient(record: CredentialRecord | undefined, { issuer }: LoginServer): boolean {
  if (record?.tokens === undefined) return true;
  return record.tokens.refused !== undefined && isSameIssuer(record.issuer ?? '', issuer);
}

/** Fails with this error; where it turned down a client that was registered, the next login registers anew. */
export async function failAs(
  { target, client }: Pick<PreparedLogin, 'target' | 'client'>,
  error: unknown,
  parts: FlowParts,
): Promise<never> {
  const refusal = HoltError.is(error) ? error.cause : error;
  if (!isClientRefused(refusal)) throw error;
  if (client.kept === undefined) throw ownClientRefused(target.server, refusal);
  await forgetClient(target, client.kept.id, parts);
  throw error;
}

/** The provider has no more use for the client that was registered there: the next login registers anew. */
async function forgetClient(target: LoginTarget, id: string, { keeper }: FlowParts): Promise<void> {
  await keeper.change(target, (record) => {
    if (record?.client?.id !== id) return record;
    const { client: _, ...rest } = record;
    return rest;
  });
}

export async function runMachine(target: LoginTarget, options: FlowOptions, parts: FlowParts): Promise<void> {
  const { keeper, wallNow } = parts;
  const { challenge = {}, scope, signal } = options;
  const { record: before } = await keeper.find(target);
  const record = await keeper.withFetch(
    target,
    (fetch) => fetchClientTokens({ target, record: before, challenge, scope, wallNow }, fetch),
    signal,
  );
  await keeper.change(target, (known) => {
    signal.throwIfAborted();
    return { ...record, generation: (known?.generation ?? 0) + 1 };
  });
}

function learnAll(secrets: readonly (string | undefined)[], { learn }: FlowParts): void {
  for (const secret of secrets) if (secret !== undefined) learn(secret);
}
