import { describe, expect, test } from 'vitest';

import { answerTable, issuer, metadata, targetFor } from '../../../tests/support/login-flows.ts';
import { SecretValue } from '../../masking/redactor.ts';
import { canHaveClient, chooseClient, type ChooseClient } from './client-id.ts';
import type { LoginServer } from './login-server.ts';

function serverWith(change: object = {}): LoginServer {
  return { issuer, isKnown: true, metadata: metadata(change) as LoginServer['metadata'] }; // as discovery gives it
}
const usual: ChooseClient = {
  target: targetFor(),
  server: serverWith(),
  record: undefined,
  redirectUri: 'http://127.0.0.1:1/cb',
  now: 1000,
};
const stored = { serverUrl: 'https://shop.test/mcp', issuer, client: { id: 'stored' } };
const document = 'https://holt.test/client.json';

describe('the client is', () => {
  test('the configured one, before any that is stored', async () => {
    const target = targetFor({ oauth: { clientId: 'mine', clientSecret: new SecretValue('hush-hush') } });
    const { fetch, asked } = answerTable({});
    expect(await chooseClient({ ...usual, target, record: stored }, fetch)).toEqual({
      identity: { id: 'mine', secret: 'hush-hush' },
    });
    expect(asked).toEqual([]);
  });

  test('the stored one of the same issuer', async () => {
    const { fetch } = answerTable({});
    expect((await chooseClient({ ...usual, record: stored }, fetch)).identity).toEqual({ id: 'stored' });
  });

  test.each([
    ['of another issuer', { ...stored, issuer: 'https://other.test' }],
    ['that was registered for something else', { ...stored, client: { id: 'stored', grants: ['a'] } }],
    ['whose secret has run out', { ...stored, client: { id: 'stored', secret: 's', secretExpiresAt: 999 } }],
  ])('not the stored one %s', async (_, record) => {
    const { fetch } = answerTable({ [`POST ${issuer}/register`]: { client_id: 'new', redirect_uris: [] } });
    expect((await chooseClient({ ...usual, record, grants: ['b'] }, fetch)).identity).toMatchObject({
      id: 'new',
    });
  });

  test('the metadata document, if the login server accepts one', async () => {
    const target = targetFor({ oauth: { clientMetadataUrl: document } });
    const server = serverWith({ client_id_metadata_document_supported: true });
    expect((await chooseClient({ ...usual, target, server }, answerTable({}).fetch)).identity).toEqual({
      id: document,
    });
  });

  test('registered otherwise, and stored as the registration returned it', async () => {
    const { fetch } = answerTable({
      [`POST ${issuer}/register`]: {
        status: 201,
        client_id: 'new',
        client_secret: 'hush',
        client_secret_expires_at: 0,
        redirect_uris: ['http://127.0.0.1:1/cb'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    });
    expect((await chooseClient(usual, fetch)).registered).toEqual({
      id: 'new',
      secret: 'hush',
      secretExpiresAt: 0,
      authMethod: 'client_secret_post',
      grants: ['authorization_code', 'refresh_token'],
    });
  });

  test('missing when it cannot be registered, with a remedy', async () => {
    const server = serverWith({ registration_endpoint: undefined });
    expect(canHaveClient({ ...usual, server })).toBe(false);
    await expect(chooseClient({ ...usual, server }, answerTable({}).fetch)).rejects.toMatchObject({
      code: 'client-registration-needed',
      message: `"shop" requires a pre-registered client id: set oauth.clientId to a client that is registered at ${issuer}`,
    });
    await expect(
      chooseClient(usual, answerTable({ [`POST ${issuer}/register`]: 403 }).fetch),
    ).rejects.toMatchObject({ code: 'client-registration-needed' });
  });
});

test('T38: a configured client is sent only to the issuer it is pinned to', async () => {
  const { fetch, asked } = answerTable({});
  const oauth = { clientId: 'mine', clientSecret: new SecretValue('hush-hush') };
  const pinned = { serverUrl: 'https://shop.test/mcp', issuer: 'https://first.test' };
  await expect(
    chooseClient({ ...usual, target: targetFor({ oauth }), record: pinned }, fetch),
  ).rejects.toMatchObject({
    code: 'auth-failed',
  });
  expect(asked).toEqual([]);
});
