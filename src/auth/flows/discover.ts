/**
 * Finds who logs people in to a server: the server's own metadata (RFC 9728), then the login server's (RFC 8414, OIDC),
 * then the places where older servers have it. Every name that is found is held against the one that was asked for.
 */

import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';

import { isSafeScheme } from '../../network/guarded-fetch.ts';
import { loginFailed, nothingDiscovered } from '../login-errors.ts';
import { isUsersOwn, shownUrl, type LoginTarget } from '../login-target.ts';
import { isSameIssuer, type Challenge, type Fetch, type LoginServer } from './login-server.ts';
import { readMetadata, readMetadataAt, revocationEndpoint } from './login-metadata.ts';
import { readProtectedResource, type ProtectedResource } from './protected-resource.ts';

export interface DiscoverOptions {
  readonly challenge?: Challenge | undefined;
  /** The issuer of an earlier login, chosen again when it is still named. */
  readonly known?: string | undefined;
}

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

/** What is known of a login server by its name alone, for logins that are there already. */
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
  // Only a server's own origin is guessed at: a login server that was named has metadata.
  if (new URL(issuer).origin !== target.url.origin)
    throw nothingDiscovered(target.server, shownUrl(target.serverUrl));
  const origin = new URL(issuer).origin;
  return { issuer: origin, metadata: guessed(origin), isKnown: false };
}

/**
 * The same, with the place where tokens are given back: an entry that writes the endpoints itself has none for that, but the
 * metadata of its issuer may.
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

/** The user's own word counts, then the one of last time, then the server's first. */
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

/** Every address is https or on this machine, and an honest page is not joined to a stranger's token endpoint. */
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
