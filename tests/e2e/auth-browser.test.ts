/** Logging in with a browser, whole: the built command, a real provider, and a server that asks the provider about every token. */

import { createHash } from 'node:crypto';

import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  browse,
  browserProgram,
  configure,
  modeOf,
  startAuth,
  startHolt,
  storedLogins,
  type AuthFixture,
} from '../support/auth-fixture.ts';
import { createSandbox, type Sandbox } from '../support/holt-command.ts';
import { runInTerminal } from '../support/terminal.ts';

let provider: AuthFixture;
let server: AuthFixture;
beforeAll(async () => {
  provider = await startAuth('oidc-provider');
  server = await startAuth('guarded-server', { issuer: provider.url });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** Somebody with a browser, who has one server that wants a login. */
async function createPerson(url = server.url): Promise<Sandbox> {
  const sandbox = await createSandbox({ BROWSER: browserProgram });
  await configure(sandbox, { secured: { url } });
  return sandbox;
}

const id = 'mcp:secured';
/** What the provider wrote down since then. */
async function marked(): Promise<AuthFixture['log']> {
  const before = (await provider.log()).length;
  return async (...events) =>
    (await provider.log()).slice(before).filter(({ event }) => events.includes(event));
}

test('auth registers, opens the provider’s page, and gets tokens that the server accepts', async () => {
  await using person = await createPerson();
  const log = await marked();
  const before = await person.holt('status', 'secured');
  expect([before.code, before.stdout]).toEqual([3, expect.stringContaining('needs_auth')]);

  const outcome = await person.holt('auth', 'secured');
  expect([outcome.code, outcome.stderr]).toEqual([0, expect.not.stringContaining('rror')]);

  const [registered] = await log('registration');
  const redirect = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp\/oauth\/callback$/);
  expect(registered?.params).toEqual({
    client_name: 'holt',
    client_uri: expect.stringMatching(/^https:/),
    redirect_uris: [redirect],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'native',
    token_endpoint_auth_method: 'none',
  });
  const [authorized] = await log('authorization');
  expect(authorized?.params).toMatchObject({
    client_id: registered?.client,
    response_type: 'code',
    code_challenge_method: 'S256',
    resource: server.url,
    redirect_uri: redirect,
  });
  expect(Buffer.from(authorized?.params['state'] ?? '', 'base64url').length).toBeGreaterThanOrEqual(16);
  const tokens = await log('token');
  expect(tokens.map(({ status, params }) => [status, params['grant_type'], params['resource']])).toEqual([
    [200, 'authorization_code', server.url],
  ]);
  const verifier = tokens[0]?.params['code_verifier'] ?? '';
  expect(createHash('sha256').update(verifier).digest('base64url')).toBe(
    authorized?.params['code_challenge'],
  );

  const answer = tokens[0]?.answer;
  expect(await storedLogins(person)).toEqual({
    [id]: expect.objectContaining({
      serverUrl: server.url,
      issuer: provider.url,
      resource: server.url,
      tokens: expect.objectContaining({
        access: answer?.['access_token'],
        refresh: answer?.['refresh_token'],
      }),
      client: expect.objectContaining({ id: registered?.client }),
    }),
  });
  expect((await storedLogins(person))[id]?.pending).toBeUndefined();
  const places = ['~/.holt', '~/.holt/credentials.json'].map((name) => person.place(name));
  expect(await Promise.all(places.map(modeOf))).toEqual(['700', '600']);

  expect((await person.holt('status', 'secured')).code).toBe(0);
  const bearer = `Bearer ${String(answer?.['access_token'])}`;
  expect((await server.requests()).at(-1)).toMatchObject({ authorization: bearer, status: 200 });
  expect(await log('registration')).toHaveLength(1);
});

/** Logged in, and what was stored then. */
async function loggedIn(): Promise<{
  readonly person: Sandbox;
  readonly refresh: string;
  readonly client: string;
}> {
  const person = await createPerson();
  const { code, stderr } = await person.holt('auth', 'secured');
  expect([code, stderr]).toEqual([0, expect.anything()]);
  const { tokens, client } = (await storedLogins(person))[id] ?? {};
  return { person, refresh: tokens?.refresh ?? '', client: client?.id ?? '' };
}

test('auth list --json lists stored logins without their secrets', async () => {
  const { person } = await loggedIn();
  await using _ = person;
  expect(await person.json('auth', 'list')).toEqual({
    schema: 1,
    credentials: [
      {
        id,
        server: 'secured',
        url: server.url,
        issuer: provider.url,
        status: 'authenticated',
        expiresAt: expect.any(Number),
        scopes: ['mcp:read', 'mcp:write'],
        backend: 'file',
      },
    ],
  });
});

test('an expired token is refreshed before it is sent, once, and the rotated one is stored', async () => {
  const { person, refresh, client } = await loggedIn();
  await using _ = person;
  await expire(person);
  const log = await marked();
  const seen = (await server.requests()).length;
  expect((await person.holt('status', 'secured')).code).toBe(0);
  expect((await log('token')).map(({ status, params }) => [status, params])).toEqual([
    [
      200,
      expect.objectContaining({
        grant_type: 'refresh_token',
        refresh_token: refresh,
        resource: server.url,
        client_id: client,
      }),
    ],
  ]);
  expect((await server.requests()).slice(seen).map(({ status }) => status)).not.toContain(401);
  const now = (await storedLogins(person))[id]?.tokens?.refresh;
  expect([now === refresh, typeof now]).toEqual([false, 'string']);
  // The rotated one works: the family was not revoked.
  await expire(person);
  expect((await person.holt('status', 'secured')).code).toBe(0);
});

test('a token that the server no longer knows is refreshed once', async () => {
  const { person } = await loggedIn();
  await using _ = person;
  await provider.post('/forget');
  const log = await marked();
  expect((await person.holt('status', 'secured')).code).toBe(0);
  expect((await log('token')).map(({ status, params }) => [status, params['grant_type']])).toEqual([
    [200, 'refresh_token'],
  ]);
});

test('logout revokes the tokens and removes them; afterwards status reports that a login is needed', async () => {
  const { person, refresh } = await loggedIn();
  await using _ = person;
  const log = await marked();
  expect((await person.holt('logout', 'secured')).code).toBe(0);
  const revoked = await log('revocation');
  expect(revoked.map(({ status }) => status)).toEqual(revoked.map(() => 200));
  expect(revoked.map(({ params }) => params['token'])).toContain(refresh);
  expect(await log('grant.revoked')).not.toEqual([]);
  expect((await storedLogins(person))[id]?.tokens).toBeUndefined();
  expect((await person.holt('status', 'secured')).code).toBe(3);
});

test('reauth logs in again with the same registration', async () => {
  const { person, refresh, client } = await loggedIn();
  await using _ = person;
  const log = await marked();
  expect((await person.holt('reauth', 'secured')).code).toBe(0);
  expect(await log('registration')).toEqual([]);
  const login = (await storedLogins(person))[id];
  expect([login?.client?.id, login?.tokens?.refresh === refresh]).toEqual([client, false]);
});

test('T37: a login that is not bound to this URL is not sent, and stays', async () => {
  const { person } = await loggedIn();
  await using _ = person;
  await using other = await startAuth('guarded-server', { issuer: provider.url });
  const before = await storedLogins(person);
  await configure(person, { secured: { url: other.url } });
  expect((await person.holt('status', 'secured')).code).toBe(3);
  expect((await other.requests()).map(({ authorization }) => authorization)).toEqual(
    (await other.requests()).map(() => undefined),
  );
  expect(await storedLogins(person)).toEqual(before);
});

test('a refused consent ends the login with the provider’s message, and nothing is stored', async () => {
  await using person = await createPerson();
  await using running = startHolt(person, ['auth', 'secured', '--no-browser']);
  const [address] = await running.printed(new RegExp(String.raw`${provider.url}/auth\?\S+`));
  const page = await browse('--deny', address);
  expect(page.text).not.toContain('aborted');
  expect(await running.exited).toBe(3);
  expect(running.stderr()).toContain('OAuth authentication failed');
  expect(running.stderr()).toContain('End-User aborted interaction');
  expect((await storedLogins(person))[id]?.tokens).toBeUndefined();
});

test('without a browser the callback can be pasted, and the line for a tunnel is ready to copy', async () => {
  await using person = await createPerson();
  const run = runInTerminal(person, ['auth', 'secured', '--no-browser']);
  await run.waitFor('ssh -L');
  const [address = ''] = new RegExp(String.raw`${provider.url}/auth\?\S+`).exec(run.shown()) ?? [];
  const redirect = new URL(address).searchParams.get('redirect_uri') ?? '';
  // On the person's own machine nobody listens: the address bar is all they have.
  const { url, status } = await browse('--stop-at', redirect, address);
  expect([new URL(url).pathname, status]).toEqual(['/mcp/oauth/callback', undefined]);
  run.type(`${url}\r`);
  expect(await run.exited).toBe(0);
  expect((await storedLogins(person))[id]?.tokens?.access).toEqual(expect.any(String));
});

test('a WebSocket carries the token on its upgrade', async () => {
  await using sockets = await startAuth('guarded-server', { issuer: provider.url, ws: true });
  await using person = await createPerson(sockets.url);
  expect((await person.holt('auth', 'secured')).code).toBe(0);
  const access = (await storedLogins(person))[id]?.tokens?.access ?? '';
  expect((await sockets.requests()).at(-1)).toEqual({
    method: 'upgrade',
    authorization: `Bearer ${access}`,
    status: 200,
  });
});

test('a program is refused: it has no login', async () => {
  await using person = await createSandbox();
  await configure(person, { fs: { command: 'node' } });
  const { code, stderr } = await person.holt('auth', 'fs');
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      '"fs" is a stdio server; it takes credentials from its environment, not from OAuth.',
    ),
  ]);
});

/** As if the hour were over. */
async function expire(person: Sandbox): Promise<void> {
  const logins = await storedLogins(person);
  const login = logins[id];
  const tokens = { ...login?.tokens, expiresAt: Math.floor(Date.now() / 1000) - 10 };
  const file = { version: 1, credentials: { ...logins, [id]: { ...login, tokens } } };
  await person.write('~/.holt/credentials.json', JSON.stringify(file));
}
