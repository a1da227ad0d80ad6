/**
 * The device flow (RFC 8628): the user types a code on another device, and holt polls until it is approved.
 */

import type { StoredTokens } from '../../kernel/credentials.ts';
import type { Clock } from '../../platform/clock.ts';
import { findNetworkFailure } from '../../network/network-failure.ts';
import { isSafeScheme } from '../../network/guarded-fetch.ts';
import { foreignWords, loginFailed, loginTimedOut, ProviderError } from '../login-errors.ts';
import { pause } from '../../platform/waits.ts';
import type { ClientIdentity } from './client-auth.ts';
import { deviceGrant } from './client-id.ts';
import type { Fetch, LoginServer } from './login-server.ts';
import { postForm, requestTokens } from './requests.ts';

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
    userCode: foreignWords(userCode).slice(0, 64),
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
