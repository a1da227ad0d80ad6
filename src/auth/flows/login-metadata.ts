/**
 * Reads a login server's metadata (RFC 8414 or OpenID). Requires only the fields that a login needs, because
 * many servers omit others that the standards require.
 */

import { buildDiscoveryUrls, type AuthorizationServerMetadata } from '@modelcontextprotocol/client';

import { ProviderError } from '../login-errors.ts';
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
