/** A login that many processes use at once, and what becomes of it when providers fail or the one who renews it is killed. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { CredentialRecord } from '../../src/kernel/credentials.ts';
import { scaled, startCommand, type Program } from '../fixtures/programs/start-program.ts';
import type { LoginUserTask } from '../fixtures/programs/login-user.ts';
import { startAuth, type AuthFixture } from '../support/auth-fixture.ts';
import { clientOf, openHostFixture } from '../support/host-fixture.ts';

let folder: string;
let program: string;
let provider: AuthFixture;
let server: AuthFixture;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'holt-refresh-'));
  program = path.join(folder, 'login-user.mjs');
  // In a few files: two dozen of them start at once, and each would read hundreds.
  await build({
    entryPoints: [path.join(import.meta.dirname, '..', 'fixtures', 'programs', 'login-user.ts')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['@napi-rs/keyring'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  provider = await startAuth('odd-provider');
  server = await startAuth('guarded-server', { issuer: provider.url });
}, 60_000);

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const id = 'mcp:odd';

interface Person extends AsyncDisposable {
  readonly home: string;
  readonly records: () => Promise<Record<string, CredentialRecord>>;
  readonly change: (edit: (records: Record<string, CredentialRecord>) => object) => Promise<void>;
}

/** Logged in, and with another login that nothing here is about. */
async function createPerson(): Promise<Person> {
  const fixture = await openHostFixture();
  const { home } = fixture;
  const openUrl = async (url: string): Promise<boolean> => {
    const { headers } = await fetch(url, { redirect: 'manual' });
    await fetch(headers.get('location') ?? '');
    return true;
  };
  const host = await fixture.open({
    servers: { odd: { type: 'http', url: server.url } },
    interaction: { openUrl },
  });
  expect(await host.authenticate('odd')).toEqual({ status: 'connected' });
  await host.close();
  const file = path.join(home, '.holt', 'credentials.json');
  const records = async (): Promise<Record<string, CredentialRecord>> =>
    (JSON.parse(await readFile(file, 'utf8')) as { readonly credentials: Record<string, CredentialRecord> })
      .credentials; // holt's own file
  const change: Person['change'] = async (edit) =>
    writeFile(file, JSON.stringify({ version: 1, credentials: edit(await records()) }));
  await change((all) => ({ ...all, 'mcp:other': bystander }));
  return { home, records, change, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() };
}

const bystander = { serverUrl: 'https://other.test/mcp', tokens: { access: 'untouched' } };

/** Its access token has run out. */
async function expire({ change }: Person): Promise<void> {
  await change((all) => {
    const record = all[id];
    return { ...all, [id]: { ...record, tokens: { ...record?.tokens, expiresAt: 1000 } } };
  });
}

function startUser(task: LoginUserTask): Program {
  return startCommand([process.execPath, program, JSON.stringify(task)]);
}

/** What the provider was asked for since then. */
async function refreshesSince(count: number): Promise<readonly unknown[]> {
  const all = (await provider.log('POST /token')).slice(count);
  return all
    .filter(({ params }) => params['grant_type'] === 'refresh_token')
    .map(({ answer }) => answer?.['status'] ?? 200);
}

const tokenCount = async (): Promise<number> => (await provider.log('POST /token')).length;

describe('an expired login with a refresh token that counts once', () => {
  test('F29: is renewed by one request for many processes released together, and all connect', async () => {
    await using person = await createPerson();
    await expire(person);
    const before = await tokenCount();
    const { generation = 0 } = (await person.records())[id] ?? {};
    const task = { home: person.home, url: server.url };
    const users = Array.from({ length: scaled(8) }, () => startUser(task));
    try {
      await Promise.all(users.map(async (user) => expect(await user.nextLine()).toBe('ready')));
      for (const user of users) user.say('go');
      const outcomes = await Promise.all(users.map((user) => user.nextLine()));
      expect(new Set(outcomes)).toEqual(new Set([JSON.stringify({ status: 'connected' })]));
    } finally {
      await Promise.all(users.map((user) => user[Symbol.asyncDispose]()));
    }
    expect(await refreshesSince(before)).toEqual([200]);
    expect(await person.records()).toMatchObject({
      [id]: { generation: generation + 1 },
      'mcp:other': bystander,
    });
  }, 90_000);

  test('F30, F33: requires one new login when the refreshing process is killed before it stores the token', async () => {
    await using person = await createPerson();
    await expire(person);
    const before = await tokenCount();
    const task = { home: person.home, url: server.url };
    await using winner = startUser({ ...task, stall: true });
    await using next = startUser(task);
    await Promise.all([winner.nextLine(), next.nextLine()]);
    winner.say('go');
    expect(await winner.nextLine()).toBe('saving');
    next.say('go');
    winner.child.kill('SIGKILL');
    // The provider keeps the old access token good; a server that does not would make it a login.
    await next.nextLine();
    expect(await refreshesSince(before)).toEqual([200, 400]);
    const { tokens, client } = (await person.records())[id] ?? {};
    expect([tokens?.refresh, client?.id]).toEqual([undefined, expect.any(String)]);
    expect((await person.records())['mcp:other']).toEqual(bystander);

    await using later = startUser(task);
    await later.nextLine();
    later.say('go');
    await later.nextLine();
    expect(await refreshesSince(before)).toEqual([200, 400]);
  }, 60_000);
});

test('F39: fifty calls that are turned down together renew the login once, and all of them get through', async () => {
  await using person = await createPerson();
  await using fixture = await openHostFixture();
  const host = await fixture.open({
    cwd: person.home,
    home: person.home,
    env: { HOME: person.home },
    servers: { odd: { type: 'http', url: server.url } },
  });
  expect(await host.connect('odd')).toEqual({ status: 'connected' });
  const before = await tokenCount();
  const { access = '' } = (await person.records())[id]?.tokens ?? {};
  await fetch(`${provider.url}/revoke`, { method: 'POST', body: new URLSearchParams({ token: access }) });
  const client = await clientOf(host, 'odd');
  const calls = Array.from({ length: 50 }, () => client.callTool({ name: 'whoami', arguments: {} }));
  const results = await Promise.all(calls);
  expect(results.every(({ isError }) => isError !== true)).toBe(true);
  expect(await refreshesSince(before)).toEqual([200]);
}, 30_000);

test('F31: failures of a token endpoint, however many, do not remove the login, and the next success restores it', async () => {
  await using person = await createPerson();
  await expire(person);
  const before = JSON.stringify(await person.records());
  const failures = [
    { status: 500, json: { error: 'server_error' } },
    { status: 503, text: 'down', headers: { 'retry-after': '0' } },
    { status: 429, text: 'slow down' },
    { status: 200, text: '<html>login</html>' },
    { status: 502, text: '' },
    { status: 200, json: {} },
  ];
  const runs = scaled(67);
  await provider.post('/script', {
    'POST /token': Array.from({ length: runs }, (_, run) => failures[run % failures.length]),
  });
  await using fixture = await openHostFixture();
  const open = () =>
    fixture.open({
      cwd: person.home,
      home: person.home,
      env: { HOME: person.home },
      servers: { odd: { type: 'http', url: server.url } },
    });
  const asked = await tokenCount();
  while ((await tokenCount()) - asked < runs) {
    const host = await open();
    await host.connect('odd');
    await host.close();
    expect(JSON.stringify(await person.records())).toBe(before);
  }
  const host = await open();
  expect(await host.connect('odd')).toEqual({ status: 'connected' });
  expect((await person.records())[id]?.tokens?.expiresAt).not.toBe(1000);
}, 120_000);
