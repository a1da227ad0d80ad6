/**
 * Requests to login servers. They send forms and return tokens or a `ProviderError`. Response bodies are
 * never quoted, because they may contain secrets.
 */

import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { StoredTokens } from '../../kernel/credentials.ts';
import { createRedactor } from '../../masking/redactor.ts';
import { ProviderError } from '../login-errors.ts';
import { authenticateClient, type ClientIdentity } from './client-auth.ts';
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
