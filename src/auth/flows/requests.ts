/**
 * Requests to login servers. They send forms and return tokens or a `ProviderError`. Response bodies are
 * never quoted, because they may contain secrets.
 */

import { createPrivateKeyJwtAuth, type AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import { createPrivateKey, type KeyObject } from 'node:crypto';

import type { StoredTokens } from '../../kernel/credentials.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { createRedactor } from '../../masking/redactor.ts';
import { ProviderError } from '../login-errors.ts';
import type { Fetch, LoginServer } from './login-server.ts';

/** Returns the response's JSON object; undefined if the body is anything else. */
export async function readJson(response: Response): Promise<JsonObject | undefined> {
  try {
    const value: unknown = await response.json();
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export interface FormRequest {
  readonly endpoint: string;
  readonly form: Readonly<Record<string, string | undefined>>;
  readonly client: ClientIdentity;
  readonly server: LoginServer;
}

/**
 * Sends a form with the client's credentials and returns the fields of the response. Rejects with a
 * `ProviderError` when the response is not successful.
 */
export async function postForm(request: FormRequest, fetch: Fetch): Promise<JsonObject> {
  const { endpoint, form, client, server } = request;
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, value);
  const headers = new Headers({ accept: 'application/json' });
  await authenticateClient({ headers, form: body, endpoint, client, metadata: server.metadata });
  headers.set('content-type', 'application/x-www-form-urlencoded');
  const response = await fetch(endpoint, { method: 'POST', headers, body: body.toString() });
  const fields = await readJson(response);
  const code = textOf(fields?.['error']);
  if (code !== undefined) {
    const words = textOf(fields?.['error_description']) ?? '';
    throw new ProviderError(code, response.status, withoutSent(words, body, client));
  }
  if (!response.ok)
    throw new ProviderError(`http-${response.status}`, response.status, wordsFor(response.status));
  return fields ?? {};
}

const harmless = new Set(['grant_type', 'client_id', 'redirect_uri', 'resource', 'scope', 'token_type_hint']);

/** Masks the codes, tokens and secrets that were sent, because the server may repeat them in its error. */
function withoutSent(words: string, body: URLSearchParams, { secret = '' }: ClientIdentity): string {
  const redactor = createRedactor();
  for (const [name, value] of body) if (!harmless.has(name)) redactor.add(value);
  redactor.add(secret);
  return redactor.redact(words);
}

function wordsFor(status: number): string {
  return `the login server answered with status ${status}`;
}

export interface TokenRequest {
  readonly form: Readonly<Record<string, string | undefined>>;
  readonly client: ClientIdentity;
  readonly server: LoginServer;
  /** The requested scope. A server that grants exactly this may omit it from the response. */
  readonly scope?: string | undefined;
}

/** Requests tokens. Converts the lifetime in the response to an expiry time. */
export async function requestTokens(
  { form, client, server, scope }: TokenRequest,
  fetch: Fetch,
  wallNow: () => number,
): Promise<StoredTokens> {
  const endpoint = server.metadata.token_endpoint;
  const fields = await postForm(
    { endpoint, form: { ...form, resource: server.resource }, client, server },
    fetch,
  );
  return readTokens(fields, scope, wallNow());
}

function readTokens(fields: JsonObject, asked: string | undefined, nowMs: number): StoredTokens {
  const access = textOf(fields['access_token']) ?? '';
  if (access === '') throw new ProviderError('no-token', 200, 'the login server answered without a token');
  const type = textOf(fields['token_type'])?.toLowerCase() ?? 'bearer';
  if (type !== 'bearer')
    throw new ProviderError('token-type', 200, `the login server gave a token of the kind ${type}`);
  const refresh = textOf(fields['refresh_token']) ?? '';
  const span = Number(fields['expires_in']);
  const scope = textOf(fields['scope']) ?? asked;
  return {
    access,
    ...(refresh === '' ? {} : { refresh }),
    ...(Number.isFinite(span) && span > 0 ? lifeOf(span, nowMs) : {}),
    ...(scope === undefined ? {} : { scope }),
  };
}

function lifeOf(seconds: number, nowMs: number): Pick<StoredTokens, 'issuedAt' | 'expiresAt'> {
  return { issuedAt: Math.floor(nowMs / 1000), expiresAt: Math.floor(nowMs / 1000 + seconds) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The client that holt uses at one login server. */
export interface ClientIdentity {
  readonly id: string;
  readonly secret?: string;
  /** In PEM format. */
  readonly privateKey?: string;
  readonly signingAlgorithm?: string;
  /** The method that the entry or the registration names. */
  readonly authMethod?: string;
}

export type AuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/**
 * Uses the method that the registration names, then one that the login server lists, then
 * `client_secret_post`, which all servers accept.
 */
export function chooseAuthMethod(client: ClientIdentity, offered: readonly string[] = []): AuthMethod {
  const { authMethod, secret, privateKey } = client;
  if (privateKey !== undefined) return 'private_key_jwt';
  if (secret === undefined || authMethod === 'none') return 'none';
  if (authMethod === 'client_secret_basic' || authMethod === 'client_secret_post') return authMethod;
  return offered.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post';
}

export interface ClientProof {
  readonly headers: Headers;
  readonly form: URLSearchParams;
  readonly endpoint: string;
  readonly client: ClientIdentity;
  readonly metadata: AuthorizationServerMetadata;
}

/** Adds the client's credentials to the headers or the form. */
export async function authenticateClient({
  headers,
  form,
  endpoint,
  client,
  metadata,
}: ClientProof): Promise<void> {
  const { id, secret = '' } = client;
  switch (chooseAuthMethod(client, metadata.token_endpoint_auth_methods_supported)) {
    case 'client_secret_basic': {
      // Each part is form-encoded (RFC 6749 2.3.1), so that a colon in it is not taken for the separator.
      const pair = `${formEncoded(id)}:${formEncoded(secret)}`;
      headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
      return;
    }
    case 'client_secret_post':
      form.set('client_id', id);
      form.set('client_secret', secret);
      return;
    case 'private_key_jwt':
      form.set('client_id', id);
      await sign(client)(headers, form, endpoint, metadata);
      return;
    case 'none':
      form.set('client_id', id);
  }
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function sign({
  id,
  privateKey = '',
  signingAlgorithm,
}: ClientIdentity): ReturnType<typeof createPrivateKeyJwtAuth> {
  const key = createPrivateKey(privateKey);
  return createPrivateKeyJwtAuth({
    issuer: id,
    subject: id,
    // Converts any PEM key to PKCS #8.
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    alg: signingAlgorithm ?? algorithmOf(key),
  });
}

const curves: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  if (asymmetricKeyType !== 'ec') return 'RS256';
  return curves[asymmetricKeyDetails?.namedCurve ?? ''] ?? 'ES256';
}
