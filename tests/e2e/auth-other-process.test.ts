/** A login made in another process: a host that runs notices it when the server is used next, and not before. */

import { afterAll, beforeAll, expect, test } from 'vitest';

import { openHost } from '../../src/host/library-host.ts';
import type { Host } from '../../src/host/host.ts';
import { browserProgram, configure, startAuth, type AuthFixture } from '../support/auth-fixture.ts';
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

async function createPerson(): Promise<Sandbox> {
  const person = await createSandbox({ BROWSER: browserProgram });
  await configure(person, { secured: { url: server.url } });
  return person;
}

function hostOf({ project, home }: Sandbox): Promise<Host> {
  const env = { PATH: process.env['PATH'], HOME: home };
  return openHost({ cwd: project, home, env, policy: { default: 'allow' } });
}

const uses: Readonly<Record<string, (host: Host) => Promise<unknown>>> = {
  'a call': async (host) => (await host.call('mcp__secured__whoami')).text,
  'a call of a selector': async (host) => (await host.findTool('secured.whoami')).tool,
  'a list of tools': async (host) => (await host.tools()).map(({ tool }) => tool),
  'a search for tools': async (host) => (await host.searchTools('whoami')).map(({ tool }) => tool.tool),
  'a list of resources': async (host) => (await host.resources(), host.status()['secured']),
  'a list of its prompts': async (host) => host.prompts({ server: 'secured' }),
};
const expected: Readonly<Record<string, unknown>> = {
  'a call': 'whoami done',
  'a call of a selector': 'whoami',
  'a list of tools': ['whoami', 'write'],
  'a search for tools': ['whoami'],
  'a list of resources': { status: 'connected' },
  'a list of its prompts': [],
};

test.each(Object.entries(uses))('%s notices a login that another process made', async (name, use) => {
  await using person = await createPerson();
  await using host = await hostOf(person);
  expect(await host.connect('secured')).toEqual({ status: 'needs_auth' });
  let changes = 0;
  host.on('mcp.status.changed', () => (changes += 1));
  await expect(host.call('mcp__secured__whoami')).rejects.toMatchObject({ code: 'auth-required' });
  await host.tools();
  expect(changes).toBe(0);
  expect((await person.holt('auth', 'secured')).code).toBe(0);
  expect(await use(host)).toEqual(expected[name]);
  expect(host.status()['secured']).toEqual({ status: 'connected' });
});

test('a login that the server rejects as well is tried once', async () => {
  await using person = await createPerson();
  await using host = await hostOf(person);
  await host.connect('secured');
  const record = {
    serverUrl: server.url,
    tokens: { access: 'not-a-token-that-it-knows', expiresAt: Math.floor(Date.now() / 1000) + 3600 },
    generation: 1,
  };
  await person.write(
    '~/.holt/credentials.json',
    JSON.stringify({ version: 1, credentials: { 'mcp:secured': record } }),
  );
  const before = (await server.requests()).length;
  for (let round = 0; round < 3; round += 1) await host.tools();
  const sent = (await server.requests())
    .slice(before)
    .filter(({ authorization }) => authorization !== undefined);
  expect(new Set(sent.map(({ authorization }) => authorization)).size).toBe(1);
  const once = sent.length;
  await expect(host.call('mcp__secured__whoami')).rejects.toMatchObject({ code: 'auth-required' });
  expect(host.status()['secured']).toEqual({ status: 'needs_auth' });
  expect(
    (await server.requests()).slice(before).filter(({ authorization }) => authorization !== undefined).length,
  ).toBe(once);
});

test('a session lists the tools of a server that was logged in to in a second terminal', async () => {
  await using person = await createPerson();
  const session = runInTerminal(person, ['repl']);
  await session.waitFor('MCP Authentication Required: secured');
  expect((await person.holt('auth', 'secured')).code).toBe(0);
  session.type('tools\r');
  await session.waitFor('whoami(');
  session.type('/quit\r');
  expect(await session.exited).toBe(0);
});
