/** Client authentication at a token endpoint: none, a secret in the header or body, or a signed JWT. */

import { createPrivateKey, type KeyObject } from 'node:crypto';

import { createPrivateKeyJwtAuth, type AuthorizationServerMetadata } from '@modelcontextprotocol/client';

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
