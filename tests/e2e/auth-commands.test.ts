/** The login commands as people use them: what is asked, printed and left behind, at a terminal and in a pipe. */

import { once } from 'node:events';
import fs from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  browse,
  browserProgram,
  configure,
  startAuth,
  startHolt,
  storedLogins,
  type AuthFixture,
} from '../support/auth-fixture.ts';
import { freePort } from '../support/free-port.ts';
import { createSandbox, type Sandbox } from '../support/holt-command.ts';
import { startFixture } from '../support/remote-fixture.ts';
import { runInTerminal } from '../support/terminal.ts';

let provider: AuthFixture;
beforeAll(async () => {
  provider = await startAuth('odd-provider', { device: { interval: 1 } });
});
afterAll(() => provider[Symbol.asyncDispose]());

const id = 'mcp:secured';
const saved = 'saved credential for mcp:secured to credential store.\n';

/** Somebody with one server that wants a login; with a browser if they have one. */
async function createPerson(env: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
  const sandbox = await createSandbox(env);
  await configure(sandbox, { secured: { url: `${provider.url}/mcp` } });
  return sandbox;
}

/** With a client of its own, so that a stored login can be renewed. */
const withClient = async (): Promise<object> => ({
  url: `${provider.url}/mcp`,
  oauth: { clientId: 'mine', callbackPort: await freePort() },
});

async function store(person: Sandbox, tokens: object, name = id): Promise<void> {
  const record = { serverUrl: `${provider.url}/mcp`, issuer: provider.url, tokens };
  await person.write(
    '~/.holt/credentials.json',
    JSON.stringify({ version: 1, credentials: { [name]: record } }),
  );
  await fs.chmod(person.place('~/.holt'), 0o700);
  await fs.chmod(person.place('~/.holt/credentials.json'), 0o600);
}

/** The address to open, out of what was printed. */
const addressIn = (text: string): URL =>
  new URL(new RegExp(String.raw`${provider.url}/authorize\?\S+`).exec(text)?.[0] ?? 'nothing:');

/** One that the provider's server accepts. */
async function tokenOf({ url }: AuthFixture): Promise<string> {
  const answer: unknown = await (await fetch(`${url}/mint`, { method: 'POST' })).json();
  return (answer as { readonly access_token: string }).access_token; // what the fixture answers
}

/** Where a browser ends that cannot reach the listener. */
async function endOf(address: URL): Promise<string> {
  return (await browse('--stop-at', address.searchParams.get('redirect_uri') ?? '', address.href)).url;
}

describe.concurrent('holt auth NAME', () => {
  test.each([
    ['auth', 'secured'],
    ['login', 'secured'],
    ['auth', 'login', 'secured'],
    ['mcp', 'auth', '--', 'secured'],
  ])('holt %s %s: opens the browser, also shows the address, and says what was saved', async (...words) => {
    await using person = await createPerson({ BROWSER: browserProgram });
    const { code, stdout, stderr } = await person.holt(...words);
    expect([code, stderr]).toEqual([0, '']);
    expect(addressIn(stdout).searchParams.get('redirect_uri')).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/mcp\/oauth\/callback$/,
    );
    expect(stdout.endsWith(saved)).toBe(true);
  });

  test('with --json prints one document; where to go is for stderr', async () => {
    await using person = await createPerson({ BROWSER: browserProgram });
    const { code, stdout, stderr } = await person.holt('auth', 'secured', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        schema: 1,
        server: 'secured',
        credential: {
          id,
          server: 'secured',
          url: `${provider.url}/mcp`,
          issuer: provider.url,
          status: 'authenticated',
          expiresAt: expect.any(Number),
          scopes: [],
          backend: 'file',
        },
        status: 'connected',
        era: expect.any(String),
        protocol: expect.any(String),
        tools: expect.any(Number),
        resources: expect.any(Number),
        prompts: expect.any(Number),
        ms: expect.any(Number),
        phases: expect.anything(),
      },
    ]);
    expect(addressIn(stderr).pathname).toBe('/authorize');
  });

  test('T39, T40: fifty forged callbacks of each kind, then the genuine one: the login succeeds', async () => {
    await using person = await createPerson();
    await using running = startHolt(person, ['auth', 'secured', '--no-browser']);
    await running.printed(/ssh -L/);
    const address = addressIn(running.stdout());
    const callback = address.searchParams.get('redirect_uri') ?? '';
    const forge = (query: object): Promise<Response> =>
      fetch(`${callback}?${new URLSearchParams({ ...query })}`);
    for (let count = 0; count < 50; count += 1) {
      const forged = await Promise.all([
        forge({ state: `forged-${count}`.padEnd(43, 'x'), code: 'forged' }),
        forge({ error: 'access_denied' }),
      ]);
      expect(forged.map(({ status }) => status)).toEqual([400, 400]);
    }
    const page = await browse(address.href);
    expect([page.status, await running.exited, running.stdout().endsWith(saved)]).toEqual([200, 0, true]);
    expect(await statusAt(page.url)).toBe(400);
  });

  test('T41: a port that has to be that one and is taken ends it before anything is opened or registered', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const { port } = squatter.address() as AddressInfo; // a TCP server has one
    await using untouched = await startAuth('odd-provider');
    await using person = await createSandbox({ BROWSER: browserProgram });
    await configure(person, { secured: { url: `${untouched.url}/mcp`, oauth: { callbackPort: port } } });
    const { code, stdout, stderr } = await person.holt('auth', 'secured');
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain(`port ${port} is taken`);
    expect(stderr).toContain('oauth.callbackPort');
    expect(await untouched.log('POST /register', 'GET /authorize')).toEqual([]);
    squatter.close();
  });

  test('Ctrl-C while it waits for a paste stores nothing and exits 130', async () => {
    await using person = await createPerson();
    const run = runInTerminal(person, ['auth', 'secured', '--no-browser']);
    await run.waitFor('or the code: ');
    const callback = addressIn(run.shown()).searchParams.get('redirect_uri') ?? '';
    run.type('\u0003');
    expect(await run.exited).toBe(130);
    expect((await storedLogins(person))[id]?.tokens).toBeUndefined();
    expect(await statusAt(callback)).toBe(400);
  });

  test('asks again after an invalid code, and accepts the pasted URL', async () => {
    await using person = await createPerson();
    const run = runInTerminal(person, ['auth', 'secured', '--no-browser']);
    await run.waitFor('or the code: ');
    run.type('that is no code\r');
    await run.waitFor('No code was found in the pasted text.');
    const url = await endOf(addressIn(run.shown()));
    run.type(`${url}\r`);
    expect([await run.exited, run.shown().includes(saved.trim())]).toEqual([0, true]);
  });

  test('accepts the bare code from a provider that does not send an issuer', async () => {
    const metadata = { authorization_response_iss_parameter_supported: null };
    await using plain = await startAuth('odd-provider', { metadata, iss: null });
    await using person = await createSandbox();
    await configure(person, { secured: { url: `${plain.url}/mcp` } });
    const run = runInTerminal(person, ['auth', 'secured', '--no-browser']);
    await run.waitFor('or the code: ');
    const [address = ''] = new RegExp(String.raw`${plain.url}/authorize\?\S+`).exec(run.shown()) ?? [];
    const url = await endOf(new URL(address));
    run.type(`${new URL(url).searchParams.get('code') ?? ''}\r`);
    expect([await run.exited, run.shown().includes(saved.trim())]).toEqual([0, true]);
  });

  test('on another device shows the code and its picture at a terminal', async () => {
    await using person = await createPerson();
    const run = runInTerminal(person, ['auth', 'secured', '--device']);
    expect(await run.exited).toBe(0);
    const lines = run.shown().replaceAll('\r\n', '\n').split('\n');
    expect(lines.slice(0, 7)).toEqual([
      "Starting OAuth device flow for MCP server 'secured'.",
      `  device endpoint: ${provider.url}/device`,
      `  token endpoint:  ${provider.url}/token`,
      '',
      `Visit: ${provider.url}/activate`,
      'Enter code: ABCD-1234',
      '',
    ]);
    expect(lines.filter((line) => /^[█▀▄ ]{20,}$/.test(line)).length).toBeGreaterThan(10);
    expect(lines.at(-2)).toBe(saved.trim());
  });

  test('reads a token without showing it', async () => {
    await using person = await createPerson();
    const run = runInTerminal(person, ['auth', 'secured', '--manual']);
    await run.waitFor('Token for "secured"');
    const token = await tokenOf(provider);
    run.type(`${token}\r`);
    expect(await run.exited).toBe(0);
    expect(run.shown()).not.toContain(token.slice(0, 12));
    expect((await storedLogins(person))[id]?.tokens).toEqual({ access: token });
  });

  test('does not store a token that the server rejects, and reports that', async () => {
    await using person = await createPerson();
    const run = runInTerminal(person, ['auth', 'secured', '--manual']);
    await run.waitFor('Token for "secured"');
    run.type('hunter22-token\r');
    expect(await run.exited).toBe(3);
    expect(run.shown()).toContain('"secured" refused the token, so it was not stored');
    expect(run.shown()).not.toContain('hunter22');
    expect((await storedLogins(person))[id]?.tokens).toBeUndefined();
    expect((await person.holt('auth', 'status', 'secured')).stdout).toBe('secured  not logged in\n');
  });

  test('Ctrl-C at the token prompt stores nothing and exits 130', async () => {
    await using person = await createPerson();
    const run = runInTerminal(person, ['auth', 'secured', '--manual']);
    await run.waitFor('Token for "secured"');
    run.type('half\u0003');
    expect([await run.exited, (await storedLogins(person))[id]?.tokens]).toEqual([130, undefined]);
  });
});

describe.concurrent('while logged in', () => {
  const replace = 'You are logged in to "secured". Log in again and replace that? [y/N]: ';

  test.each([
    ['Enter', '\r', 'not replaced', 1],
    ['n', 'n\r', 'not replaced', 1],
  ])('%s leaves the stored login unchanged', async (_key, keys, text, expected) => {
    await using person = await createPerson({ BROWSER: browserProgram });
    await store(person, { access: 'old' });
    const run = runInTerminal(person, ['auth', 'secured'], { BROWSER: browserProgram });
    await run.waitFor(replace);
    run.type(keys);
    expect([await run.exited, run.shown().includes(text)]).toEqual([expected, true]);
    expect((await storedLogins(person))[id]?.tokens).toEqual({ access: 'old' });
  });

  test('y replaces it', async () => {
    await using person = await createPerson();
    await store(person, { access: 'old' });
    const run = runInTerminal(person, ['auth', 'secured'], { BROWSER: browserProgram });
    await run.waitFor(replace);
    run.type('y\r');
    expect(await run.exited).toBe(0);
    expect((await storedLogins(person))[id]?.tokens?.access).not.toBe('old');
  });

  test('in a pipe nothing is asked or replaced, and the error names reauth', async () => {
    await using person = await createPerson({ BROWSER: browserProgram });
    await store(person, { access: 'old' });
    const { code, stderr } = await person.holt('auth', 'secured');
    expect([code, stderr]).toEqual([
      2,
      '"secured" is already logged in, and holt cannot ask without a terminal\nholt reauth secured replaces the login without asking.\n',
    ]);
    expect((await person.holt('reauth', 'secured')).code).toBe(0);
    expect((await storedLogins(person))[id]?.tokens?.access).not.toBe('old');
  });

  test('after a refused refresh the login is listed as expired, and auth replaces it without a question', async () => {
    await using person = await createPerson({ BROWSER: browserProgram });
    await store(person, { access: 'old', refresh: 'gone', expiresAt: 1_700_000_000 });
    await person.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { secured: await withClient() } }));
    const called = await person.holt('call', 'secured.anything');
    expect([called.code, called.stderr]).toEqual([3, expect.stringContaining('the stored one has expired')]);
    expect((await person.holt('auth', 'list')).stdout).toMatch(
      /^mcp:secured +expired +2023-11-14T22:13:20Z/m,
    );
    const login = await person.holt('auth', 'secured');
    expect([login.code, login.stderr]).toEqual([0, expect.any(String)]);
    expect((await storedLogins(person))[id]?.tokens?.access).toMatch(/^access-/);
  });

  test('auth status and auth list show the login, and logout removes it', async () => {
    await using person = await createPerson();
    await store(person, { access: 'old', expiresAt: 4_102_444_800, scope: 'read write' });
    const status = await person.holt('auth', 'status', 'secured');
    expect([status.code, status.stdout.split('\n')[0]]).toEqual([0, 'secured  logged in']);
    expect((await person.holt('auth', 'list')).stdout.split('\n')[1]).toMatch(
      /^mcp:secured +authenticated +2100-01-01T00:00:00Z +read write +http\S+ +file$/,
    );
    const out = await person.holt('unauth', 'secured');
    expect([out.code, out.stdout]).toEqual([0, expect.stringMatching(/^Logged out of "secured"/)]);
    expect((await person.holt('auth', 'status', 'secured')).code).toBe(3);
    expect((await person.holt('auth', 'logout', 'secured')).stdout).toBe('"secured" was not logged in.\n');
  });
});

describe.concurrent('where nothing can be discovered', () => {
  const words = (url: string): string =>
    `Authentication required for "bare": OAuth endpoints could not be discovered at ${url}`;

  let bare: AuthFixture;
  beforeAll(async () => {
    const gone = ['GET /authorize', 'POST /token', 'POST /register'].map((route) => [
      route,
      [{ status: 404, repeat: true }],
    ]);
    bare = await startAuth('odd-provider', { wellKnown: 'none', script: Object.fromEntries(gone) });
  });
  afterAll(() => bare[Symbol.asyncDispose]());

  async function createBare(): Promise<Sandbox> {
    const person = await createSandbox();
    await configure(person, { bare: { url: `${bare.url}/mcp` } });
    return person;
  }

  test('reports that and exits 3 in a pipe', async () => {
    await using person = await createBare();
    const { code, stderr } = await person.holt('auth', 'bare');
    expect([code, stderr.split('\n')[0]]).toEqual([3, words(`${bare.url}/mcp`)]);
  });

  test('reports that and asks for a token at a terminal', async () => {
    await using person = await createBare();
    const run = runInTerminal(person, ['auth', 'bare']);
    await run.waitFor('Token for "bare"');
    expect(run.shown()).toContain(words(`${bare.url}/mcp`));
    const token = await tokenOf(bare);
    run.type(`${token}\r`);
    expect(await run.exited).toBe(0);
    expect((await storedLogins(person))['mcp:bare']?.tokens).toEqual({ access: token });
  });
});

test('for an entry that forbids logins, every command names that and how to allow it; exit 3', async () => {
  await using person = await createSandbox();
  await configure(person, { secured: { url: `${provider.url}/mcp`, oauth: false } });
  const remedy = `To log in, remove oauth: false from ${person.place('~/.holt/mcp.json')}.`;
  for (const words of [
    ['auth', 'secured'],
    ['call', 'secured.anything'],
    ['status', 'secured'],
    ['test', 'secured'],
    ['tools', 'secured'],
    ['resources', 'secured'],
    ['read', 'secured', 'file:///x'],
  ]) {
    const { code, stdout, stderr } = await person.holt(...words);
    const shown = `${stdout}${stderr}`;
    expect([words, code, shown]).toEqual([words, 3, expect.stringContaining(remedy)]);
    expect(shown).toContain('ts definition forbids logging in');
  }
});

test('for a server that works without a login, auth reports that and asks nothing', async () => {
  await using plain = await startFixture('stateless-http');
  await using person = await createSandbox({ BROWSER: browserProgram });
  await configure(person, { plain: { url: plain.url } });
  const { code, stderr } = await person.holt('auth', 'plain');
  expect([code, stderr.split('\n')[0]]).toEqual([2, '"plain" needs no login: it answers without a login.']);
});

describe.concurrent('words', () => {
  test.each([
    [['auth', 'login'], 'holt auth takes one name'],
    [['auth', 'a', 'b'], 'holt auth takes one name'],
    [['logout'], 'holt logout takes one name'],
    [['reauth', 'a', 'b'], 'holt reauth takes one name'],
    [['auth', 'secured', '--device', '--manual'], '--device and --manual exclude each other'],
    [['auth', 'secure'], 'Unknown server "secure"'],
    [['logout', 'secure'], 'Unknown server "secure"'],
    [['auth', 'status', 'secure'], 'Unknown server "secure"'],
  ])('holt %j: %s', async (args, message) => {
    await using person = await createPerson();
    const { code, stderr } = await person.holt(...args);
    expect([code, stderr.split('\n')[0]]).toEqual([2, message]);
  });

  test('auth list is the list, auth -- list the server of that name', async () => {
    await using person = await createSandbox();
    await configure(person, { list: { command: 'node' } });
    expect((await person.holt('auth', 'list')).stdout).toBe(
      'No logins are stored. holt auth NAME makes one.\n',
    );
    const { code, stderr } = await person.holt('auth', '--', 'list');
    expect([code, stderr.split('\n')[0]]).toEqual([
      2,
      '"list" is a stdio server; it takes credentials from its environment, not from OAuth.',
    ]);
  });
});

test('an expired login is a problem for doctor and shown by get, without a look at the network', async () => {
  await using person = await createSandbox();
  const url = 'https://secured.invalid/mcp';
  await configure(person, { secured: { url }, fs: { command: 'node', startIn: 'project' } });
  const tokens = { access: 'canary-token', expiresAt: 1_700_000_000 };
  await person.write(
    '~/.holt/credentials.json',
    JSON.stringify({ version: 1, credentials: { [id]: { serverUrl: url, tokens } } }),
  );
  const doctored = await person.json<{ readonly problems: readonly object[] }>('doctor');
  expect(doctored.problems).toEqual([
    {
      severity: 'warning',
      code: 'login-expired',
      file: person.place('~/.holt/mcp.json'),
      line: expect.any(Number),
      column: expect.any(Number),
      server: 'secured',
      message: 'the login of "secured" has expired',
      remedy: 'Log in again with holt auth secured.',
    },
  ]);
  const shown = (await person.holt('get', 'secured')).stdout;
  expect(shown).toMatch(/^login +expired \(2023-11-14T22:13:20Z\)$/m);
  const { server } = await person.json<{ readonly server: object }>('get', 'secured');
  expect(server).toMatchObject({ login: 'expired' });
  expect((await person.holt('get', 'fs')).stdout).not.toContain('login');
});

/** Whoever comes late finds nobody, or another login that has taken the port by now and knows nothing of this one. */
function statusAt(url: string): Promise<number> {
  return fetch(url).then(
    ({ status }) => status,
    () => 400,
  );
}
