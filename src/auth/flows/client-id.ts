/**
 * Chooses the client for a login server: the configured one, the stored one, a client metadata document, or a
 * new registration.
 */

import { registerClient, type OAuthClientInformationFull } from '@modelcontextprotocol/client';

import { holtApp, type AppIdentity } from '../app-identity.ts';
import type { CredentialRecord, RegisteredClient } from '../../kernel/credentials.ts';
import { parseObject } from '../../kernel/json.ts';
import { nameWord } from '../../kernel/shell-words.ts';
import { clientNeeded, loginFailed, nothingDiscovered, ProviderError } from '../login-errors.ts';
import { shownUrl, type LoginTarget } from '../login-target.ts';
import type { ClientIdentity } from './requests.ts';
import { isSameIssuer, type Fetch, type LoginServer } from './login-server.ts';

export interface ChosenClient {
  readonly identity: ClientIdentity;
  /** The client to store for later logins; unset for a client that the entry configures. */
  readonly registered?: RegisteredClient;
}

export interface ChooseClient {
  readonly target: LoginTarget;
  readonly server: LoginServer;
  readonly record: CredentialRecord | undefined;
  readonly redirectUri?: string | undefined;
  /** Grant types in addition to those that every login needs. */
  readonly grants?: readonly string[];
  /** The id of a stored client that the login server has just rejected. */
  readonly refused?: string | undefined;
  /** The identity used for the registration; default: holt. */
  readonly app?: AppIdentity;
  /** In Unix seconds. */
  readonly now: number;
}

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * Returns the client to use, registering one if necessary. Rejects with `client-registration-needed` if that
 * is not possible.
 */
export async function chooseClient(asked: ChooseClient, fetch: Fetch): Promise<ChosenClient> {
  const { target, server, record } = asked;
  const own = configuredClient(target);
  if (own !== undefined) {
    checkPinned(target, server, record);
    return { identity: own };
  }
  const stored = storedClient(asked);
  if (stored !== undefined) return { identity: stored, registered: stored };
  const { clientMetadataUrl } = target.oauth;
  if (clientMetadataUrl !== undefined && server.metadata.client_id_metadata_document_supported === true) {
    const document = { id: clientMetadataUrl };
    return { identity: document, registered: document };
  }
  const registered = await register(asked, fetch);
  return { identity: registered, registered };
}

/** Whether a login can begin without the user registering a client by hand. */
export function canHaveClient(asked: ChooseClient): boolean {
  return !mustRegister(asked) || asked.server.metadata.registration_endpoint !== undefined;
}

/** Whether a login has to register a client first. */
export function mustRegister(asked: ChooseClient): boolean {
  const { target, server } = asked;
  const hasDocument =
    target.oauth.clientMetadataUrl !== undefined &&
    server.metadata.client_id_metadata_document_supported === true;
  return configuredClient(target) === undefined && storedClient(asked) === undefined && !hasDocument;
}

/** Returns the client that the entry configures, if any. */
export function configuredClient({ oauth }: LoginTarget): ClientIdentity | undefined {
  const { clientId, clientSecret, privateKey, signingAlgorithm, tokenEndpointAuthMethod } = oauth;
  if (clientId === undefined) return undefined;
  return {
    id: clientId,
    ...(clientSecret === undefined ? {} : { secret: clientSecret.reveal() }),
    ...(privateKey === undefined ? {} : { privateKey: privateKey.reveal() }),
    ...(signingAlgorithm === undefined ? {} : { signingAlgorithm }),
    ...(tokenEndpointAuthMethod === undefined ? {} : { authMethod: tokenEndpointAuthMethod }),
  };
}

/**
 * Throws when the login server changed: a configured client belongs to the configured issuer, or to the
 * issuer of its first login.
 */
function checkPinned(
  { server, oauth }: LoginTarget,
  found: LoginServer,
  record: CredentialRecord | undefined,
): void {
  const pinned = oauth.issuer ?? record?.issuer;
  if (pinned === undefined || isSameIssuer(pinned, found.issuer)) return;
  throw loginFailed(server, 'the server has another login server now than the one its client belongs to', {
    remedy: `If that is right, run holt logout ${nameWord(server)}, or set oauth.issuer.`,
  });
}

/**
 * Returns the stored client if it belongs to this issuer, has the required grants, and its secret has not
 * expired.
 */
function storedClient(asked: ChooseClient): RegisteredClient | undefined {
  const { server, record, now, refused } = asked;
  const { client, issuer } = record ?? {};
  if (client === undefined || issuer === undefined || !isSameIssuer(issuer, server.issuer)) return undefined;
  if (client.id === refused || lacksGrant(client, asked)) return undefined;
  // The provider no longer knows this client; its login page would only show an error.
  if (record?.tokens?.refused === 'invalid_client') return undefined;
  return hasSecretExpired(client, now) ? undefined : client;
}

function hasSecretExpired({ secret, secretExpiresAt = 0 }: RegisteredClient, now: number): boolean {
  return secret !== undefined && secretExpiresAt > 0 && secretExpiresAt <= now;
}

/** A client without recorded grants is tried: the login server decides. */
function lacksGrant({ grants: known }: RegisteredClient, { grants = [] }: ChooseClient): boolean {
  return known !== undefined && grants.some((grant) => !known.includes(grant));
}

async function register(asked: ChooseClient, fetch: Fetch): Promise<RegisteredClient> {
  const { target, server, redirectUri, grants = [], app = holtApp } = asked;
  if (server.metadata.registration_endpoint === undefined) throw clientNeeded(target.server, server.issuer);
  const clientMetadata = {
    client_name: app.name,
    ...(app.url === undefined ? {} : { client_uri: app.url }),
    redirect_uris: redirectUri === undefined ? [] : [redirectUri],
    grant_types: ['authorization_code', 'refresh_token', ...grants],
    response_types: ['code'],
    application_type: 'native',
    token_endpoint_auth_method: 'none',
  } as const;
  const info = await registerClient(server.issuer, {
    metadata: server.metadata,
    clientMetadata: {
      ...clientMetadata,
      grant_types: [...clientMetadata.grant_types],
      response_types: ['code'],
    },
    fetchFn: fetch,
  }).catch((error: unknown) => {
    throw refusedRegistration(asked, error);
  });
  return clientOf(info, clientMetadata.grant_types);
}

function refusedRegistration({ target, server }: ChooseClient, error: unknown): unknown {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (typeof status !== 'number') return error;
  // Without metadata, the registration endpoint was only a guess.
  if (!server.isKnown) return nothingDiscovered(target.server, shownUrl(target.serverUrl), error);
  if (status >= 500 || status === 429)
    return loginFailed(target.server, `the login server answered ${status} to the registration`);
  const body = error instanceof Error && 'body' in error ? error.body : undefined;
  return clientNeeded(
    target.server,
    server.issuer,
    `it refused the registration: ${refusalWords(body, status)}`,
  );
}

/** Returns the provider's own error message, if it sent one. */
function refusalWords(body: unknown, status: number): string {
  const fields = typeof body === 'string' ? (parseObject(body) ?? {}) : {};
  const [code, description] = [fields['error'], fields['error_description']].map((text) =>
    typeof text === 'string' && text !== '' ? text : undefined,
  );
  if (code === undefined && description === undefined) return `status ${status}`;
  return new ProviderError(code ?? `status ${status}`, status, description ?? '').message;
}

function clientOf(info: OAuthClientInformationFull, asked: readonly string[]): RegisteredClient {
  const { client_id: id, client_secret: secret, grant_types: answered = [] } = info;
  return {
    id,
    ...(secret === undefined ? {} : { secret }),
    ...(info.client_id_issued_at === undefined ? {} : { issuedAt: info.client_id_issued_at }),
    ...(info.client_secret_expires_at === undefined
      ? {}
      : { secretExpiresAt: info.client_secret_expires_at }),
    ...(info.token_endpoint_auth_method === undefined ? {} : { authMethod: info.token_endpoint_auth_method }),
    // Some providers return more grants than requested; others omit them.
    grants: [...new Set([...asked, ...answered])],
  };
}
