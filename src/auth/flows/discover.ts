/**
 * Discovers the login server of a server: first the server's own metadata (RFC 9728), then the login server's
 * (RFC 8414, OIDC), then the endpoint paths of older servers. Every issuer found is checked against the
 * expected one.
 */

import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';

import { isSafeScheme } from '../../network/guarded-fetch.ts';
import { loginFailed, nothingDiscovered } from '../login-errors.ts';
import { isUsersOwn, shownUrl, type LoginTarget } from '../login-target.ts';
import { isSameIssuer, type Challenge, type Fetch, type LoginServer } from './login-server.ts';
import {
  readMetadata,
  readMetadataAt,
  revocationEndpoint,
  readProtectedResource,
  type ProtectedResource,
} from './server-metadata.ts';

export interface DiscoverOptions {
  readonly challenge?: Challenge | undefined;
  /** The issuer of an earlier login. It is used again if the server still names it. */
  readonly known?: string | undefined;
}

/**
 * Returns the login server with its endpoints, the resource and its scopes. Rejects when none is found or an
 * endpoint is unsafe.
 */
export async function discoverLogin(
  target: LoginTarget,
  fetch: Fetch,
  { challenge = {}, known }: DiscoverOptions = {},
): Promise<LoginServer> {
  const found = await readProtectedResource(target, fetch, challenge.resourceMetadataUrl);
  const issuer = chooseIssuer(target, found, known);
  const resource = resourceFor(target, found);
  const server = await readLoginServer(target, issuer, fetch);
  checkEndpoints(target, server);
  return {
    ...server,
    ...(resource === undefined ? {} : { resource }),
    ...(found?.scopes === undefined ? {} : { resourceScopes: found.scopes }),
  };
}

/** Reads a login server by its issuer alone, for logins that already exist. */
export async function readLoginServer(
  target: LoginTarget,
  issuer: string,
  fetch: Fetch,
): Promise<LoginServer> {
  const { oauth } = target;
  const { tokenEndpoint } = oauth;
  if (tokenEndpoint !== undefined && isUsersOwn(target)) return configured(target, issuer, tokenEndpoint);
  const metadata =
    oauth.metadataUrl === undefined
      ? await readMetadata(issuer, fetch)
      : await readMetadataAt(oauth.metadataUrl, fetch);
  if (metadata !== undefined) return { issuer: metadata.issuer, metadata, isKnown: true };
  // Endpoints are guessed only at the server's own origin; a login server that was named must have metadata.
  if (new URL(issuer).origin !== target.url.origin)
    throw nothingDiscovered(target.server, shownUrl(target.serverUrl));
  const origin = new URL(issuer).origin;
  return { issuer: origin, metadata: guessed(origin), isKnown: false };
}

/**
 * Like `readLoginServer`, with the revocation endpoint. An entry that configures its endpoints has none for
 * revocation, but its issuer's metadata may.
 */
export async function readRevocationServer(
  target: LoginTarget,
  issuer: string,
  fetch: Fetch,
): Promise<LoginServer> {
  const server = await readLoginServer(target, issuer, fetch);
  if (revocationEndpoint(server) !== undefined) return server;
  const published = await readMetadata(issuer, fetch);
  const endpoint = published === undefined ? undefined : revocationEndpoint({ metadata: published });
  if (endpoint === undefined) return server;
  return { ...server, metadata: { ...server.metadata, revocation_endpoint: endpoint } };
}

/**
 * In order of precedence: the configured issuer, the issuer of the earlier login, the first one that the
 * server names.
 */
function chooseIssuer(
  { server, url, oauth }: LoginTarget,
  found: ProtectedResource | undefined,
  known?: string,
): string {
  const named = found?.issuers ?? [];
  if (oauth.issuer !== undefined) {
    const wanted = oauth.issuer;
    if (named.length > 0 && !named.some((issuer) => isSameIssuer(issuer, wanted)))
      throw loginFailed(server, `the server no longer names ${wanted} as its login server`, {
        remedy: 'Check oauth.issuer, and who runs the server now.',
      });
    return wanted;
  }
  if (known !== undefined && named.some((issuer) => isSameIssuer(issuer, known))) return known;
  return named[0] ?? url.origin;
}

function resourceFor(target: LoginTarget, found: ProtectedResource | undefined): string | undefined {
  const { resource } = target.oauth;
  if (resource !== undefined && resource !== 'auto' && isUsersOwn(target))
    return resource === 'omit' ? undefined : resource;
  return found?.resource ?? target.url.href;
}

function configured({ oauth }: LoginTarget, issuer: string, tokenEndpoint: string): LoginServer {
  const metadata = {
    ...guessed(issuer),
    authorization_endpoint: oauth.authorizationEndpoint ?? new URL('/authorize', tokenEndpoint).href,
    token_endpoint: tokenEndpoint,
    registration_endpoint: undefined,
    ...(oauth.deviceAuthorizationEndpoint === undefined
      ? {}
      : { device_authorization_endpoint: oauth.deviceAuthorizationEndpoint }),
  };
  return { issuer: oauth.issuer ?? new URL(tokenEndpoint).origin, metadata, isKnown: true };
}

function guessed(issuer: string): AuthorizationServerMetadata {
  return {
    issuer,
    authorization_endpoint: new URL('/authorize', issuer).href,
    token_endpoint: new URL('/token', issuer).href,
    registration_endpoint: new URL('/register', issuer).href,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  };
}

/**
 * Throws unless every endpoint is https or local. Unless the issuer is configured or named in answers, also
 * rejects a login page whose origin matches neither the issuer nor the token endpoint: an attacker could pair
 * a genuine login page with a token endpoint of their own.
 */
function checkEndpoints({ server, oauth }: LoginTarget, { issuer, metadata }: LoginServer): void {
  const { authorization_endpoint: authorize, token_endpoint: token } = metadata;
  for (const place of [authorize, token, metadata.registration_endpoint])
    if (place !== undefined && place !== '' && !isSafePlace(place))
      throw loginFailed(server, 'an endpoint of the login server is neither https nor on this machine');
  if (authorize === '') return;
  if (metadata.authorization_response_iss_parameter_supported === true || oauth.issuer !== undefined) return;
  const at = new URL(authorize).origin;
  if (at !== new URL(issuer).origin && at !== new URL(token).origin)
    throw loginFailed(server, 'the login page belongs neither to the issuer nor to the token endpoint', {
      remedy: 'If that is right, set oauth.issuer to the issuer.',
    });
}

function isSafePlace(place: string): boolean {
  return URL.canParse(place) && isSafeScheme(new URL(place));
}
