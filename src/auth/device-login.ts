/** The device-code login, from discovery to a stored record. A login that fails stores nothing. */

import type { CredentialRecord } from '../kernel/credentials.ts';
import { nameWord } from '../kernel/shell-words.ts';
import { usualCallbackPort } from './callback-listener.ts';
import { chooseClient, deviceGrant, type ChosenClient } from './flows/client-id.ts';
import { askForDevice, deviceEndpoint, waitForDevice } from './flows/device.ts';
import type { Fetch, LoginServer } from './flows/login-server.ts';
import { chooseScope } from './flows/scopes.ts';
import { isClientRefused, ownClientRefused, ProviderError } from './login-errors.ts';
import { findLoginServer, keepLogin, type FlowOptions, type FlowParts } from './login-flow.ts';
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
  await parts.keeper.withFetch(
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
  const redirectUri = `http://127.0.0.1:${usualCallbackPort}/mcp/oauth/callback`;
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
  if (client.kept === undefined)
    throw ownClientRefused(
      target.server,
      error,
      `, or use holt auth --no-browser ${nameWord(target.server)}`,
    );
  if (record?.client?.id !== client.kept.id) throw error;
  const other = await clientFor(login, record, parts, client.kept.id);
  if (other.identity.id === client.identity.id) throw error;
  return other;
}

/**
 * True when the error may be about the client. Some login servers report it with a vague error, which counts
 * only for a client whose grants are unknown.
 */
function mayBeForClient(error: unknown, { kept }: ChosenClient): error is ProviderError {
  if (isClientRefused(error)) return true;
  return error instanceof ProviderError && vague.has(error.code) && kept?.grants === undefined;
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
  await keepLogin(target, { server, client, tokens }, parts, { signal });
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
