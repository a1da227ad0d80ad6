/** The device-code login, from discovery to a stored record. A login that fails stores nothing. */

import type { CredentialRecord, StoredTokens } from '../kernel/credentials.ts';
import { nameWord } from '../kernel/shell-words.ts';
import { isSafeScheme } from '../network/guarded-fetch.ts';
import { findNetworkFailure } from '../network/network-failure.ts';
import type { Clock } from '../platform/clock.ts';
import { pause } from '../platform/waits.ts';
import { defaultCallbackPort } from './callback-listener.ts';
import { chooseClient, deviceGrant, type ChosenClient } from './flows/client-id.ts';
import { type Fetch, type LoginServer, chooseScope } from './flows/login-server.ts';
import { type ClientIdentity, postForm, requestTokens } from './flows/requests.ts';
import {
  isClientRefused,
  ownClientRefused,
  ProviderError,
  foreignText,
  loginFailed,
  loginTimedOut,
} from './login-errors.ts';
import { findLoginServer, storeLogin, type FlowOptions, type FlowParts } from './login-flow.ts';
import type { LoginTarget } from './login-target.ts';

interface DeviceLogin {
  readonly target: LoginTarget;
  readonly server: LoginServer;
  readonly scope: string | undefined;
  readonly signal: AbortSignal;
  readonly fetch: Fetch;
}

/**
 * Runs a device-code login and stores its tokens. Retries once with a new client if the provider rejects the
 * stored one.
 */
export async function runDevice(target: LoginTarget, options: FlowOptions, parts: FlowParts): Promise<void> {
  const { signal, challenge, scope: asked } = options;
  await parts.tokenSource.withFetch(
    target,
    async (fetch) => {
      const { server, record } = await findLoginServer(target, options, parts, fetch);
      const scope = chooseScope({ target, server, record, challenge, asked });
      const login = { target, server, scope, signal, fetch };
      const client = await clientFor(login, record, parts);
      try {
        await logInAs(client, login, parts);
      } catch (error) {
        const other = await clientInstead(error, client, { ...login, record }, parts);
        await logInAs(other, login, parts);
      }
    },
    signal,
  );
}

function clientFor(
  { target, server, fetch }: DeviceLogin,
  record: CredentialRecord | undefined,
  { wallNow, app }: FlowParts,
  refused?: string,
): Promise<ChosenClient> {
  // Providers require a redirect URI when a client registers, even for the device flow.
  const redirectUri = `http://127.0.0.1:${defaultCallbackPort}/mcp/oauth/callback`;
  const now = wallNow() / 1000;
  return chooseClient(
    { target, server, record, redirectUri, grants: [deviceGrant], app, now, refused },
    fetch,
  );
}

/**
 * Returns another client when the provider rejects a stored one, which may lack the device grant or be
 * unknown by now. Throws when another client would not help.
 */
async function clientInstead(
  error: unknown,
  client: ChosenClient,
  login: DeviceLogin & { readonly record: CredentialRecord | undefined },
  parts: FlowParts,
): Promise<ChosenClient> {
  const { target, record } = login;
  if (!mayBeForClient(error, client)) throw error;
  if (client.registered === undefined)
    throw ownClientRefused(
      target.server,
      error,
      `, or use holt auth --no-browser ${nameWord(target.server)}`,
    );
  if (record?.client?.id !== client.registered.id) throw error;
  const other = await clientFor(login, record, parts, client.registered.id);
  if (other.identity.id === client.identity.id) throw error;
  return other;
}

/**
 * True when the error may be about the client. Some login servers report it with a vague error, which counts
 * only for a client whose grants are unknown.
 */
function mayBeForClient(error: unknown, { registered }: ChosenClient): error is ProviderError {
  if (isClientRefused(error)) return true;
  return error instanceof ProviderError && vague.has(error.code) && registered?.grants === undefined;
}

const vague = new Set(['invalid_request', 'http-400', 'http-401', 'http-403']);

async function logInAs(client: ChosenClient, login: DeviceLogin, parts: FlowParts): Promise<void> {
  const { interaction, clock, wallNow, learn } = parts;
  const { target, server, scope, signal, fetch } = login;
  const flow = { name: target.server, server, client: client.identity, scope, clock, wallNow, signal };
  const grant = await askForDevice(flow, fetch);
  learn(grant.deviceCode);
  if (client.identity.secret !== undefined) learn(client.identity.secret);
  interaction.showDeviceCode?.({
    server: target.server,
    url: grant.url,
    userCode: grant.userCode,
    deviceEndpoint: deviceEndpoint(server) ?? '',
    tokenEndpoint: server.metadata.token_endpoint,
    ...(grant.completeUrl === undefined ? {} : { completeUrl: grant.completeUrl }),
    expiresAt: wallNow() + grant.lastsMs,
  });
  const tokens = await waitForDevice(grant, flow, fetch);
  await storeLogin(target, { server, client, tokens }, parts, { signal });
}

/** Whether the login server supports the device flow. */
export function offersDevice(server: LoginServer): boolean {
  return deviceEndpoint(server) !== undefined;
}

/** Whether the entry configures everything that the device flow needs. */
export function hasDeviceFields({ oauth }: LoginTarget): boolean {
  return (
    oauth.clientId !== undefined &&
    oauth.deviceAuthorizationEndpoint !== undefined &&
    oauth.tokenEndpoint !== undefined
  );
}

export interface DeviceGrant {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly url: string;
  readonly completeUrl?: string;
  readonly intervalMs: number;
  readonly lastsMs: number;
}

export interface DeviceParts {
  /** The server name used in errors. */
  readonly name: string;
  readonly server: LoginServer;
  readonly client: ClientIdentity;
  readonly scope: string | undefined;
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly signal: AbortSignal;
}

const usualIntervalMs = 5000;
const slowerByMs = 5000;
const longestMs = 15 * 60_000;

/** Returns the device authorization endpoint, if the provider or the entry has one. */
export function deviceEndpoint({ metadata }: LoginServer): string | undefined {
  const endpoint = (metadata as Readonly<Record<string, unknown>>)['device_authorization_endpoint'];
  return typeof endpoint === 'string' && URL.canParse(endpoint) ? endpoint : undefined;
}

/** Requests a device code. Rejects with `auth-failed` when the endpoint or a required field is missing. */
export async function askForDevice(parts: DeviceParts, fetch: Fetch): Promise<DeviceGrant> {
  const { name, server, client, scope } = parts;
  const endpoint = deviceEndpoint(server);
  if (endpoint === undefined) throw loginFailed(name, 'the login server does not offer logging in by a code');
  const form = { client_id: client.id, scope, resource: server.resource };
  const fields = await postForm({ endpoint, form, client, server }, fetch);
  const text = (key: string): string | undefined =>
    typeof fields[key] === 'string' ? fields[key] : undefined;
  const deviceCode = text('device_code');
  const userCode = text('user_code');
  const url = safeUrl(text('verification_uri') ?? text('verification_url'));
  if (deviceCode === undefined || userCode === undefined || url === undefined)
    throw loginFailed(name, 'the login server did not say where to type which code');
  const completeUrl = safeUrl(text('verification_uri_complete'));
  const seconds = (key: string): number => Number(fields[key] ?? 0);
  return {
    deviceCode,
    userCode: foreignText(userCode).slice(0, 64),
    url,
    ...(completeUrl === undefined ? {} : { completeUrl }),
    intervalMs: seconds('interval') > 0 ? seconds('interval') * 1000 : usualIntervalMs,
    lastsMs: seconds('expires_in') > 0 ? Math.min(seconds('expires_in') * 1000, longestMs) : longestMs,
  };
}

function safeUrl(text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return isSafeScheme(url) ? url.href : undefined;
}

/**
 * Polls until the user has decided or the code expires. Each `slow_down` lengthens the interval permanently.
 */
export async function waitForDevice(
  grant: DeviceGrant,
  parts: DeviceParts,
  fetch: Fetch,
): Promise<StoredTokens> {
  const { name, server, client, scope, clock, wallNow, signal } = parts;
  const end = clock.now() + grant.lastsMs;
  let pauseMs = grant.intervalMs;
  for (;;) {
    await pause(pauseMs, clock, signal);
    if (clock.now() >= end) throw loginTimedOut(name, grant.lastsMs);
    const form = { grant_type: deviceGrant, device_code: grant.deviceCode };
    try {
      return await requestTokens({ form, client, server, scope }, fetch, wallNow);
    } catch (error) {
      signal.throwIfAborted();
      const verdict = readRefusal(error);
      if (verdict === 'expired') throw loginTimedOut(name, grant.lastsMs);
      if (verdict === 'final') throw error;
      if (verdict === 'slower') pauseMs += slowerByMs;
    }
  }
}

function readRefusal(error: unknown): 'again' | 'slower' | 'expired' | 'final' {
  // A broken connection says nothing about the user, who may still be typing.
  if (findNetworkFailure(error) !== undefined) return 'slower';
  if (!(error instanceof ProviderError)) return 'final';
  if (error.code === 'authorization_pending') return 'again';
  if (error.code === 'slow_down' || error.status >= 500) return 'slower';
  return error.code === 'expired_token' ? 'expired' : 'final';
}
