/** Programs that log in by themselves, whole: by a secret in the header, in the body, or by a signature; no person, no browser. */

import { generateKeyPairSync } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { configure, startAuth, storedLogins, type AuthFixture } from '../support/auth-fixture.ts';
import { createSandbox } from '../support/holt-command.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const secret = 'a secret/with+signs';

let provider: AuthFixture;
let server: AuthFixture;
beforeAll(async () => {
  const robot = { grant_types: ['client_credentials'], response_types: [], redirect_uris: [] };
  const key = { ...publicKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' };
  const clients = [
    { client_id: 'header', client_secret: secret, ...robot },
    { client_id: 'key', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key] }, ...robot },
  ];
  provider = await startAuth('oidc-provider', { clients });
  server = await startAuth('guarded-server', { issuer: provider.url, scope: 'mcp:read' });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const grant = 'client_credentials';
const basic = `Basic ${Buffer.from(`header:${new URLSearchParams({ s: secret }).toString().slice(2)}`).toString('base64')}`;

describe.concurrent('a program logs in', () => {
  test.each([
    ['by a secret in the header', { clientId: 'header', clientSecret: secret }, { authorization: basic }],
    [
      'by a signature',
      { clientId: 'key', privateKey: pem },
      { params: expect.objectContaining({ client_assertion: expect.stringMatching(/^ey/) }) },
    ],
  ])('%s, without configuration', async (_, oauth, expected) => {
    await using machine = await createSandbox();
    await configure(machine, { robot: { url: server.url, oauth: { grant, ...oauth } } });
    const { code, stdout } = await machine.holt('status', 'robot');
    expect([code, stdout]).toEqual([0, expect.stringContaining('connected')]);
    const asked = (await provider.log('token')).filter(({ client }) => client === oauth.clientId);
    expect(asked).toEqual([expect.objectContaining({ status: 200, ...expected })]);
    expect(asked[0]?.params).toMatchObject({ grant_type: grant, scope: 'mcp:read', resource: server.url });
    // Stored, and used again as long as it is good.
    expect((await storedLogins(machine))['mcp:robot']?.tokens?.access).toEqual(expect.any(String));
    expect((await machine.holt('status', 'robot')).code).toBe(0);
    expect((await provider.log('token')).filter(({ client }) => client === oauth.clientId)).toHaveLength(1);
  });
});

test('a client logs in with a secret in the body if the provider accepts that; one line reports that it cannot be saved', async () => {
  const metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
  await using odd = await startAuth('odd-provider', { metadata });
  await using machine = await createSandbox();
  const oauth = { grant, clientId: 'body', clientSecret: secret, scopes: ['a', 'b'] };
  await configure(machine, { robot: { url: `${odd.url}/mcp`, oauth } });
  // A folder in the place of the file takes no login.
  await machine.write('~/.holt/credentials.json/in-the-way', '');
  const { code, stderr } = await machine.holt('status', 'robot', '--json');
  const file = machine.place('~/.holt/credentials.json');
  expect([code, stderr]).toEqual([
    0,
    `Logins cannot be stored and last only as long as this program: ${file} is not a plain file, so holt does not use it\n`,
  ]);
  const [asked] = await odd.log('POST /token');
  expect([asked?.authorization, asked?.params]).toEqual([
    undefined,
    {
      grant_type: grant,
      client_id: 'body',
      client_secret: secret,
      scope: 'a b',
      resource: `${odd.url}/mcp`,
    },
  ]);
});

test('a wrong secret is reported with the provider’s message, and nothing is stored', async () => {
  await using machine = await createSandbox();
  const oauth = { grant, clientId: 'header', clientSecret: 'another' };
  await configure(machine, { robot: { url: server.url, oauth } });
  const { code, stderr } = await machine.holt('auth', 'robot');
  expect([code, stderr]).toEqual([3, expect.stringContaining('OAuth authentication failed')]);
  expect(stderr).not.toContain('another');
  expect((await storedLogins(machine))['mcp:robot']?.tokens).toBeUndefined();
});
