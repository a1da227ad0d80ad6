/** Who we are to a login server: as the entry says, as registered before, by a document, or registered now. */

import { registerClient, type OAuthClientInformationFull } from '@modelcontextprotocol/client';

import { holtApp, type AppIdentity } from '../app-identity.ts';
import type { CredentialRecord, RegisteredClient } from '../../kernel/credentials.ts';
import { nameWord } from '../../kernel/shell-words.ts';
import { clientNeeded, loginFailed, nothingDiscovered, ProviderError } from '../login-errors.ts';
import { shownUrl, type LoginTarget } from '../login-target.ts';
import type { ClientIdentity } from './client-auth.ts';
import { isSameIssuer, type Fetch, type LoginServer } from './login-server.ts';

export interface ChosenClient {
  readonly identity: ClientIdentity;
  /** What is kept for the next time; nothing for a client of the entry's own. */
  readonly kept?: RegisteredClient;
}

export interface ChooseClient {
  readonly target: LoginTarget;
  readonly server: LoginServer;
  readonly record: CredentialRecord | undefined;
  readonly redirectUri?: string | undefined;
  /** Beyond those that every login needs. */
  readonly grants?: readonly string[];
  /** The id of a stored client that the login server has just turned down. */
  readonly refused?: string | undefined;
  /** As what it is registered; holt when left out. */
  readonly app?: AppIdentity;
  /** In unix seconds. */
  readonly now: number;
}

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

export async function chooseClient(asked: ChooseClient, fetch: Fetch): Promise<ChosenClient> {
  const { target, server, record } = asked;
  const own = configuredClient(target);
  if (own !== undefined) {
    checkPinned(target, server, record);
    return { identity: own };
  }
  const stored = storedClient(asked);
  if (stored !== undefined) return { identity: stored, kept: stored };
  const { clientMetadataUrl } = target.oauth;
  if (clientMetadataUrl !== undefined && server.metadata.client_id_metadata_document_supported === true) {
    const document = { id: clientMetadataUrl };
    return { identity: document, kept: document };
  }
  const kept = await register(asked, fetch);
  return { identity: kept, kept };
}

/** Whether a login could begin without anybody registering a client by hand first. */
export function canHaveClient(asked: ChooseClient): boolean {
  return !mustRegister(asked) || asked.server.metadata.registration_endpoint !== undefined;
}

/** Whether a login would begin with a registration. */
export function mustRegister(asked: ChooseClient): boolean {
  const { target, server } = asked;
  const hasDocument =
    target.oauth.clientMetadataUrl !== undefined &&
    server.metadata.client_id_metadata_document_supported === true;
  return configuredClient(target) === undefined && storedClient(asked) === undefined && !hasDocument;
}

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

/** The client of the entry belongs to the issuer it first logged in at, or to the one that the entry names. */
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

/** Only at the issuer that gave it, for what it was registered for, and not with a secret that has run out. */
function storedClient(asked: ChooseClient): RegisteredClient | undefined {
  const { server, record, now, refused } = asked;
  const { client, issuer } = record ?? {};
  if (client === undefined || issuer === undefined || !isSameIssuer(issuer, server.issuer)) return undefined;
  if (client.id === refused || lacksGrant(client, asked)) return undefined;
  // The provider no longer knows it: its login page would only show an error.
  if (record?.tokens?.refused === 'invalid_client') return undefined;
  return hasSecretExpired(client, now) ? undefined : client;
}

function hasSecretExpired({ secret, secretExpiresAt = 0 }: RegisteredClient, now: number): boolean {
  return secret !== undefined && secretExpiresAt > 0 && secretExpiresAt <= now;
}

/** One that does not say what it was registered for is tried: the login server knows. */
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
  return registered(info, clientMetadata.grant_types);
}

function refusedRegistration({ target, server }: ChooseClient, error: unknown): unknown {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (typeof status !== 'number') return error;
  // Where there is not even metadata, there is nothing that a client could be registered with.
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

/** The provider's own words, where it has any. */
function refusalWords(body: unknown, status: number): string {
  const fields = typeof body === 'string' ? parseFields(body) : {};
  const [code, description] = [fields['error'], fields['error_description']].map((text) =>
    typeof text === 'string' && text !== '' ? text : undefined,
  );
  if (code === undefined && description === undefined) return `status ${status}`;
  return new ProviderError(code ?? `status ${status}`, status, description ?? '').message;
}

function parseFields(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function registered(info: OAuthClientInformationFull, asked: readonly string[]): RegisteredClient {
  const { client_id: id, client_secret: secret, grant_types: answered = [] } = info;
  return {
    id,
    ...(secret === undefined ? {} : { secret }),
    ...(info.client_id_issued_at === undefined ? {} : { issuedAt: info.client_id_issued_at }),
    ...(info.client_secret_expires_at === undefined
      ? {}
      : { secretExpiresAt: info.client_secret_expires_at }),
    ...(info.token_endpoint_auth_method === undefined ? {} : { authMethod: info.token_endpoint_auth_method }),
    // Some give more than was asked for, others only fail to repeat it.
    grants: [...new Set([...asked, ...answered])],
  };
}
