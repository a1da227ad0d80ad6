/**
 * Reads a login server's metadata (RFC 8414 or OpenID). Requires only the fields that a login needs, because
 * many servers omit others that the standards require.
 */

import { buildDiscoveryUrls, type AuthorizationServerMetadata } from '@modelcontextprotocol/client';

import { ProviderError, loginFailed } from '../login-errors.ts';
import { isUsersOwn, type LoginTarget } from '../login-target.ts';
import type { Fetch, LoginServer } from './login-server.ts';
import { readJson } from './requests.ts';

/** Returns undefined when there is no metadata. Throws when the metadata names another issuer. */
export async function readMetadata(
  issuer: string,
  fetch: Fetch,
): Promise<AuthorizationServerMetadata | undefined> {
  for (const { url } of buildDiscoveryUrls(issuer)) {
    const found = await readMetadataAt(url, fetch);
    if (found === undefined) continue;
    if (found.issuer === issuer || (issuer.endsWith('/') && found.issuer === issuer.slice(0, -1)))
      return found;
    throw new ProviderError('issuer', 200, 'the metadata names another issuer than the one it was asked for');
  }
  return undefined;
}

/**
 * Reads the metadata at this URL. Returns undefined when there is none; rejects with a `ProviderError` when
 * the server fails or the metadata is invalid.
 */
export async function readMetadataAt(
  place: string | URL,
  fetch: Fetch,
): Promise<AuthorizationServerMetadata | undefined> {
  const response = await fetch(place, { headers: { accept: 'application/json' } });
  if (response.status >= 500 && response.status !== 502)
    throw new ProviderError(
      'metadata',
      response.status,
      `the login server answered ${response.status} when asked for its metadata`,
    );
  if (!response.ok) return undefined;
  const fields = await readJson(response);
  if (fields === undefined)
    throw new ProviderError('metadata', 200, 'the metadata of the login server cannot be read');
  return toMetadata(fields);
}

export function revocationEndpoint({ metadata }: Pick<LoginServer, 'metadata'>): string | undefined {
  const endpoint = (metadata as Readonly<Record<string, unknown>>)['revocation_endpoint'];
  return typeof endpoint === 'string' ? endpoint : undefined;
}

const texts = ['registration_endpoint', 'revocation_endpoint', 'device_authorization_endpoint'] as const;
const lists = [
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'scopes_supported',
  'grant_types_supported',
] as const;
const flags = [
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
] as const;

function toMetadata(fields: Readonly<Record<string, unknown>>): AuthorizationServerMetadata {
  const { issuer, token_endpoint: token, authorization_endpoint: page = '' } = fields;
  if (typeof issuer !== 'string' || typeof token !== 'string' || typeof page !== 'string')
    throw new ProviderError('metadata', 200, 'the metadata of the login server is not complete');
  const chosen = [
    ...texts.filter((name) => typeof fields[name] === 'string'),
    ...lists.filter((name) => isTexts(fields[name])),
    ...flags.filter((name) => fields[name] === true),
  ];
  const types = fields['response_types_supported'];
  return {
    ...Object.fromEntries(chosen.map((name) => [name, fields[name]])),
    issuer,
    token_endpoint: token,
    // Empty when the login server has no login page; `requireLoginPage` reports that.
    authorization_endpoint: page,
    response_types_supported: isTexts(types) ? types : ['code'],
  };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

export interface ProtectedResource {
  /** The resource identifier, unchanged, because it is sent byte for byte. */
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes?: string;
}

/**
 * Returns undefined when the server has no such metadata. Rejects when the metadata is for another resource.
 */
export async function readProtectedResource(
  target: LoginTarget,
  fetch: Fetch,
  named: URL | undefined,
): Promise<ProtectedResource | undefined> {
  // A document from another origin is not evidence, so a header that names one is ignored.
  const places = named !== undefined && named.origin === target.url.origin ? [named] : wellKnown(target.url);
  for (const place of places) {
    const response = await fetch(place, { headers: { accept: 'application/json' } });
    if (response.status >= 500 && response.status !== 502)
      throw loginFailed(
        target.server,
        `the server answered ${response.status} when asked for its login server`,
      );
    const document = response.ok ? await readJson(response) : undefined;
    if (document !== undefined && typeof document['resource'] === 'string')
      return checked(target, document, document['resource']);
  }
  return undefined;
}

function wellKnown(url: URL): readonly URL[] {
  const path = url.pathname.replace(/\/$/, '');
  const root = new URL('/.well-known/oauth-protected-resource', url);
  if (path === '') return [root];
  const own = new URL(`/.well-known/oauth-protected-resource${path}`, url);
  own.search = url.search;
  return [own, root];
}

function checked(
  target: LoginTarget,
  document: Readonly<Record<string, unknown>>,
  resource: string,
): ProtectedResource {
  const chosen =
    target.oauth.resource !== undefined && target.oauth.resource !== 'auto' && isUsersOwn(target);
  if (!chosen && !coversResource(resource, target.url))
    throw loginFailed(target.server, 'the server says that its logins are for another place than this one');
  const issuers = textsIn(document['authorization_servers']).filter((issuer) => URL.canParse(issuer));
  const scopes = textsIn(document['scopes_supported']).join(' ');
  return { resource, issuers, ...(scopes === '' ? {} : { scopes }) };
}

/**
 * Whether `resource` has the same origin and its path is a prefix of the URL's, segment by segment:
 * `https://a.test.evil` does not cover `https://a.test`.
 */
export function coversResource(resource: string, url: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const { origin, pathname } = new URL(resource);
  return origin === url.origin && steps(url.pathname).startsWith(steps(pathname));
}

function steps(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
