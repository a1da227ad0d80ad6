import { generateKeyPairSync } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { answerTable, issuer, metadata } from '../../../tests/support/login-flows.ts';
import { chooseAuthMethod, requestTokens } from './requests.ts';
import { isFinal, refreshTokens, requestClientTokens, revokeTokens } from './grants.ts';
import type { LoginServer } from './login-server.ts';

const server: LoginServer = {
  issuer,
  isKnown: true,
  resource: 'https://shop.test/mcp',
  metadata: metadata() as LoginServer['metadata'],
}; // as discovery gives it
const tokenRoute = `POST ${issuer}/token`;
const at1000 = (): number => 1_000_000;

describe('a token request', () => {
  test('sends the resource, and returns the expiry time', async () => {
    const { fetch, asked } = answerTable({
      [tokenRoute]: { access_token: 'a', refresh_token: 'r', expires_in: 60, token_type: 'Bearer' },
    });
    const form = { grant_type: 'x', scope: undefined };
    expect(await requestTokens({ form, client: { id: 'c' }, server, scope: 's' }, fetch, at1000)).toEqual({
      access: 'a',
      refresh: 'r',
      issuedAt: 1000,
      expiresAt: 1060,
      scope: 's',
    });
    expect(asked[0]?.form).toEqual({ grant_type: 'x', client_id: 'c', resource: 'https://shop.test/mcp' });
  });

  test.each([
    [
      'an error',
      { status: 400, error: 'invalid_grant', error_description: 'gone\u001b[2J' },
      'invalid_grant',
    ],
    ['an error that calls itself a success', { error: 'invalid_grant' }, 'invalid_grant'],
    ['a fault', 500, 'http-500'],
    ['nothing', {}, 'no-token'],
    ['a token of another kind', { access_token: 'a', token_type: 'mac' }, 'token-type'],
  ])('that is answered with %s fails with a code and escaped text', async (_, answer, code) => {
    const { fetch } = answerTable({ [tokenRoute]: answer });
    const error: unknown = await requestTokens(
      { form: {}, client: { id: 'c' }, server },
      fetch,
      at1000,
    ).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect(String(error)).not.toContain('\u001b');
  });

  test('retains the refresh token that the provider does not replace', async () => {
    const { fetch, asked } = answerTable({ [tokenRoute]: { access_token: 'b' } });
    const tokens = { access: 'a', refresh: 'r', scope: 's' };
    expect(await refreshTokens({ server, client: { id: 'c' }, tokens }, fetch, at1000)).toEqual({
      access: 'b',
      refresh: 'r',
      scope: 's',
    });
    expect(asked[0]?.form).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'r' });
  });
});

describe('a client authenticates', () => {
  test.each([
    [{ id: 'c' }, ['client_secret_basic'], 'none'],
    [{ id: 'c', secret: 's' }, ['client_secret_basic', 'client_secret_post'], 'client_secret_basic'],
    [{ id: 'c', secret: 's' }, [], 'client_secret_post'],
    [
      { id: 'c', secret: 's', authMethod: 'client_secret_post' },
      ['client_secret_basic'],
      'client_secret_post',
    ],
    [{ id: 'c', secret: 's', authMethod: 'none' }, [], 'none'],
    [{ id: 'c', privateKey: 'k' }, [], 'private_key_jwt'],
  ] as const)('%o at a server that offers %o by %s', (client, offered, expected) => {
    expect(chooseAuthMethod(client, offered)).toBe(expected);
  });

  test('by a header with both parts encoded', async () => {
    const { fetch, asked } = answerTable({ [tokenRoute]: { access_token: 'a' } });
    const client = { id: 'a:b', secret: 'p%q ü', authMethod: 'client_secret_basic' };
    await requestClientTokens({ server, client, scope: 's' }, fetch, at1000);
    const [, pair = ''] = (asked[0]?.headers['authorization'] ?? '').split(' ');
    expect(Buffer.from(pair, 'base64').toString()).toBe('a%3Ab:p%25q+%C3%BC');
    expect(asked[0]?.form).toEqual({
      grant_type: 'client_credentials',
      scope: 's',
      resource: 'https://shop.test/mcp',
    });
  });

  test.each([
    ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, 'pkcs1'],
    ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'sec1'],
  ] as const)(
    'by signing with %s for the issuer, whatever kind of PEM the key is in',
    async (alg, key, type) => {
      const { fetch, asked } = answerTable({ [tokenRoute]: { access_token: 'a' } });
      const privateKey = key.export({ type, format: 'pem' }).toString();
      await requestClientTokens({ server, client: { id: 'c', privateKey }, scope: undefined }, fetch, at1000);
      const parts = (asked[0]?.form['client_assertion'] ?? '').split('.').slice(0, 2);
      const [header, claims] = parts.map(
        (part) => JSON.parse(Buffer.from(part, 'base64url').toString() || '{}') as unknown,
      );
      expect(header).toMatchObject({ alg });
      expect(claims).toMatchObject({ iss: 'c', sub: 'c', aud: issuer });
    },
  );
});

test.each([
  [{ status: 400, error: 'invalid_grant' }, true],
  [{ status: 401, error: 'invalid_client' }, true],
  [{ status: 500, error: 'invalid_grant' }, false],
  [{ status: 400, error: 'temporarily_unavailable' }, false],
  [{ status: 429, error: 'slow_down' }, false],
])('%o is final: %s', async (answer, expected) => {
  const { fetch } = answerTable({ [tokenRoute]: answer });
  const error: unknown = await requestTokens({ form: {}, client: { id: 'c' }, server }, fetch, at1000).catch(
    (thrown: unknown) => thrown,
  );
  expect(isFinal(error)).toBe(expected);
});

test('a login is revoked if the provider supports it, refresh token first', async () => {
  const revocation_endpoint = `${issuer}/revoke`;
  const { fetch, asked } = answerTable({ [`POST ${revocation_endpoint}`]: {} });
  const able = { ...server, metadata: { ...server.metadata, revocation_endpoint } };
  const parts = { client: { id: 'c' }, tokens: { access: 'a', refresh: 'r' } };
  expect(await revokeTokens({ server: able, ...parts }, fetch)).toBe(true);
  expect(asked.map(({ form }) => form['token'])).toEqual(['r', 'a']);
  expect(await revokeTokens({ server, ...parts }, fetch)).toBe(false);
});
