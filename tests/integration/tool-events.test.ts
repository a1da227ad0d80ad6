/** What tools there are is told: at the first list, when servers come and go, and after an answer from memory. */

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import type { Host, HostOptions } from '../../src/host/host.ts';
import { nextEvent, nextStatus, openHostFixture, type HostFixture } from '../support/host-fixture.ts';

const allowed = { policy: { default: 'allow' } } as const;

function follow(host: Host): string[] {
  const told: string[] = [];
  host.on('mcp.tools.changed', ({ server }) => told.push(server));
  return told;
}

async function namesIn(host: Host): Promise<readonly string[]> {
  return (await host.tools({ wait: 'cached' })).map(({ name }) => name);
}

const toolIn = (name: string): object => ({ name, inputSchema: { type: 'object', properties: {} } });

/** A server whose tools stand in a file, as one host after the other finds it. */
function listedBy(fixture: HostFixture, ...names: readonly string[]): Promise<HostOptions> {
  const file = path.join(fixture.home, 'tools.json');
  const options = { ...allowed, servers: { s: fixture.program('tools-from-file', file) } };
  return writeFile(file, JSON.stringify(names.map(toolIn))).then(() => options);
}

async function warmUp(fixture: HostFixture, ...names: readonly string[]): Promise<void> {
  const host = await fixture.open(await listedBy(fixture, ...names));
  await host.tools();
  await host.close();
}

test('each change of the offered tools emits one event, when it can be listed', async () => {
  await using fixture = await openHostFixture();
  const host = await fixture.open({ servers: { ex: fixture.program('named-tools', 'x') } });
  const told = follow(host);
  const seen: (readonly string[])[] = [];
  host.on('mcp.tools.changed', () => void namesIn(host).then((names) => seen.push(names)));
  const after = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    const event = nextEvent(host, 'mcp.tools.changed');
    await work();
    await event;
    return namesIn(host);
  };
  expect(await after(() => host.connect())).toEqual(['mcp__ex__x']);
  expect(await after(() => host.add('two', fixture.program('named-tools', 'y')))).toEqual([
    'mcp__ex__x',
    'mcp__two__y',
  ]);
  expect(await after(() => host.disable('ex'))).toEqual(['mcp__two__y']);
  expect(await after(() => host.enable('ex'))).toEqual(['mcp__ex__x', 'mcp__two__y']);
  await host.connect('ex');
  await host.disconnect('ex');
  await host.connect('ex');
  expect(await after(() => host.remove('two'))).toEqual(['mcp__ex__x']);
  expect(told).toEqual(['ex', 'two', 'ex', 'ex', 'two']);
  expect(seen).toEqual([
    ['mcp__ex__x'],
    ['mcp__ex__x', 'mcp__two__y'],
    ['mcp__two__y'],
    ['mcp__ex__x', 'mcp__two__y'],
    ['mcp__ex__x'],
  ]);
});

test('after a response from the cache the server is started, and differences are reported', async () => {
  await using fixture = await openHostFixture();
  await warmUp(fixture, 'one');
  const options = await listedBy(fixture, 'one', 'two');
  const hosts = await Promise.all([fixture.open(options), fixture.open(options)]);
  const frugal = await fixture.open(options, { startsOnlyNeeded: true });
  const changed = hosts.map((host) => nextEvent(host, 'mcp.tools.changed'));
  const [cached, usual] = hosts;
  const answers = await Promise.all([cached.tools({ wait: 'cached' }), usual.tools(), frugal.tools()]);
  const statuses = [...hosts, frugal].map((host) => host.status());
  expect(answers.map((tools) => tools.map(({ tool }) => tool))).toEqual([['one'], ['one'], ['one']]);
  expect(statuses).toEqual(answers.map(() => ({ s: { status: 'idle' } })));
  expect(await Promise.all(changed)).toMatchObject([{ server: 's' }, { server: 's' }]);
  const both = ['mcp__s__one', 'mcp__s__two'];
  expect(await Promise.all(hosts.map(namesIn))).toEqual([both, both]);
  expect(frugal.status()).toEqual({ s: { status: 'idle' } });
});

test('a first list that equals the cache emits no event, with or without an earlier request', async () => {
  await using fixture = await openHostFixture();
  await warmUp(fixture, 'one');
  const options = await listedBy(fixture, 'one');
  const [asking, connecting] = await Promise.all([fixture.open(options), fixture.open(options)]);
  const told = [asking, connecting].map(follow);
  const up = nextStatus(asking, 's', 'connected');
  await Promise.all([asking.tools(), up, connecting.connect()]);
  await Promise.all([asking, connecting].map((host) => host.tools({ wait: 'settled' })));
  expect(told).toEqual([[], []]);
});

test('a server that is added and removed is reported once each', async () => {
  await using fixture = await openHostFixture();
  await warmUp(fixture, 'one');
  const { servers = {} } = await listedBy(fixture, 'one');
  const host = await fixture.open(allowed);
  await host.tools();
  const told = follow(host);
  expect([await host.add('s', servers['s'] ?? { url: '' }), [...told]]).toEqual([
    { status: 'connected' },
    ['s'],
  ]);
  await host.remove('s');
  expect(told).toEqual(['s', 's']);
});

test('without a cache tools arrive by event; a failed server has that status, a denied one stays denied', async () => {
  await using fixture = await openHostFixture();
  const servers = { e: fixture.program('named-tools', 'x'), bad: fixture.program('exits-immediately') };
  const host = await fixture.open({ servers });
  const changed = nextEvent(host, 'mcp.tools.changed');
  const failed = nextStatus(host, 'bad', 'failed');
  expect(await namesIn(host)).toEqual([]);
  await Promise.all([changed, failed]);
  expect(await namesIn(host)).toEqual(['mcp__e__x']);
  await host.disconnect('e');
  expect(await namesIn(host)).toEqual(['mcp__e__x']);
  // What the answer sets off begins on the next turn.
  await new Promise((resolve) => setTimeout(resolve, 2));
  expect(host.status()).toMatchObject({ e: { status: 'idle' }, bad: { status: 'failed' } });
});

test('only the requested server is started', async () => {
  await using fixture = await openHostFixture();
  const servers = { e: fixture.program('named-tools', 'x'), other: fixture.program('named-tools', 'y') };
  const host = await fixture.open({ servers });
  const up = nextStatus(host, 'e', 'connected');
  await host.tools({ wait: 'cached', server: 'e' });
  await up;
  expect(host.status()).toEqual({ e: { status: 'connected' }, other: { status: 'idle' } });
});

test('a server that is started in the background asks no question', async () => {
  await using fixture = await openHostFixture();
  const [project, user] = [
    path.join(fixture.home, 'code'),
    path.join(fixture.home, '.config', 'Code', 'User'),
  ];
  await Promise.all([project, user].map((folder) => mkdir(folder, { recursive: true })));
  const program = fixture.program('named-tools', 'x');
  await writeFile(path.join(project, '.mcp.json'), JSON.stringify({ mcpServers: { theirs: program } }));
  const secret = { ...program, env: { TOKEN: '${input:token}' } };
  await writeFile(path.join(user, 'mcp.json'), JSON.stringify({ servers: { secret } }), { mode: 0o600 });
  const asked: string[] = [];
  const interaction = {
    confirmTrust: () => Promise.resolve((asked.push('trust'), 'deny' as const)),
    askSecret: () => Promise.resolve(void asked.push('secret')),
  };
  const host = await fixture.open({ cwd: project, interaction, servers: { free: program } });
  const up = nextStatus(host, 'free', 'connected');
  await host.tools({ wait: 'cached' });
  await up;
  expect([asked, host.status()]).toMatchObject([
    [],
    { secret: { status: 'idle' }, free: { status: 'connected' }, theirs: { status: 'untrusted' } },
  ]);
});
