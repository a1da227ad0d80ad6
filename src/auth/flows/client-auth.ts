/** How a client proves itself at a token endpoint: by nothing, by its secret in one of two places, or by signing. */

import { createPrivateKey, type KeyObject } from 'node:crypto';

import { createPrivateKeyJwtAuth, type AuthorizationServerMetadata } from '@modelcontextprotocol/client';

/** Who we are to one login server. */
export interface ClientIdentity {
  readonly id: string;
  readonly secret?: string;
  /** In PEM. */
  readonly privateKey?: string;
  readonly signingAlgorithm?: string;
  /** As the entry or the registration says. */
  readonly authMethod?: string;
}

export type AuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** What the registration names, then what the login server names, then the body: every server reads that. */
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
      // Each half is encoded as a form would be (RFC 6749 2.3.1), so that a colon in it divides nothing.
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
    // Whatever kind of PEM it was.
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
