/** A definition that changes while its server runs: the name is the new one's at once, however long the old one takes to go. */

import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import type { Host } from '../../src/host/host.ts';
import { nextEvent, openHostFixture, type HostFixture } from '../support/host-fixture.ts';
import { isAlive, known } from '../support/processes.ts';

const allowed = { policy: { default: 'allow' } } as const;
const waiting = { status: 'connecting', phase: 'disconnected' } as const;

/** Its program is there until the file is, or until it is asked to go, half a second after its input has ended. */
function lingering(fixture: HostFixture, gate: string, name: string, ...args: readonly string[]) {
  const { command, args: words } = fixture.program(name, ...args);
  const script = 'gate="$1"; shift; "$@"; until [ -e "$gate" ]; do sleep 0.02; done';
  return { command: 'sh', args: ['-c', script, 'sh', path.join(fixture.home, gate), command, ...words] };
}

function letGo(fixture: HostFixture, gate: string): Promise<void> {
  return writeFile(path.join(fixture.home, gate), '');
}

async function writeServers(
  fixture: HostFixture,
  servers: Record<string, unknown>,
  indent = 0,
): Promise<void> {
  const file = path.join(fixture.home, '.holt', 'mcp.json');
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, JSON.stringify({ mcpServers: servers }, undefined, indent), { mode: 0o600 });
}

function closing(host: Host, server: string): Promise<unknown> {
  return nextEvent(host, 'mcp.phase', (step) => step.server === server && step.to === 'cleaning_up');
}

/** Whether the program that runs now was still there, each time that the server was started. */
function watchStarts(host: Host, server: string): readonly boolean[] {
  const pid = known(host.report()[server]?.pid);
  const overlaps: boolean[] = [];
  host.on('mcp.phase', (step) => {
    if (step.server === server && step.to === 'connecting') overlaps.push(isAlive(pid));
  });
  return overlaps;
}

function tell(host: Host, server: string): readonly string[] {
  const told: string[] = [];
  host.on('mcp.status.changed', (event) => {
    if (event.server === server) told.push(event.status.status);
  });
  host.on('mcp.tools.changed', (event) => {
    if (event.server === server) told.push('tools');
  });
  return told;
}

const namesOf = async (host: Host) => (await host.tools({ wait: 'cached' })).map(({ name }) => name);
const codeOf = (calling: Promise<unknown>) =>
  calling.then(
    () => undefined,
    (error: unknown) => (error as { code?: unknown }).code, // whatever was thrown
  );

test('files: the tools stay, queued calls wait for the new server, calls in flight fail immediately', async () => {
  await using fixture = await openHostFixture();
  const busy = fixture.program('slow-call');
  await writeServers(fixture, { busy, list: lingering(fixture, 'gate', 'named-tools', 'kept', 'gone') });
  const host = await fixture.open(allowed);
  await host.tools({ wait: 'settled' });
  const executing = nextEvent(host, 'mcp.phase', ({ to }) => to === 'executing');
  const hanging = host.call('mcp__busy__wait', { ms: 60_000 });
  await executing;
  const overlaps = [watchStarts(host, 'busy'), watchStarts(host, 'list')];
  const told = tell(host, 'list');
  await writeServers(fixture, {
    busy: { ...busy, env: { A: '1' } },
    list: fixture.program('named-tools', 'kept', 'new'),
  });
  const [started, changed] = [closing(host, 'list'), nextEvent(host, 'mcp.config.changed')];
  const reloading = host.reload();

  await started;
  expect(host.status()).toEqual({ busy: waiting, list: waiting });
  expect(await hanging).toMatchObject({ ok: false, error: { code: 'connection-lost' } });
  expect(await changed).toMatchObject({ added: [], removed: [], changed: ['busy', 'list'] });
  expect(await namesOf(host)).toEqual(['mcp__busy__wait', 'mcp__list__kept', 'mcp__list__gone']);
  const calls = Promise.all([
    host.call('mcp__busy__wait', { ms: 0 }),
    host.call('mcp__list__kept'),
    codeOf(host.call('mcp__list__gone')),
  ]);
  expect([host.status(), overlaps]).toEqual([{ busy: waiting, list: waiting }, [[], []]]);
  await letGo(fixture, 'gate');

  expect(await calls).toMatchObject([
    { ok: true, text: 'waited' },
    { ok: true, text: 'kept' },
    'tool-not-found',
  ]);
  expect(await namesOf(host)).toEqual(['mcp__busy__wait', 'mcp__list__kept', 'mcp__list__new']);
  expect(overlaps).toEqual([[false], [false]]);
  expect(told).toEqual(['idle', 'connecting', 'connected', 'tools']);
  expect(await reloading).toEqual({ added: [], removed: [], changed: ['busy', 'list'] });
});

test('run time: of changes in a row the last one is listed and called; a removed server disappears immediately and delays the next one of its name', async () => {
  await using fixture = await openHostFixture();
  const host = await fixture.open(allowed);
  const environment = () => host.call('mcp__x__environment', { name: 'N' });
  const add = (value: string) =>
    host.add('x', { ...lingering(fixture, `gate-${value}`, 'echo'), env: { N: value } });
  const starting = nextEvent(host, 'mcp.phase', ({ to }) => to === 'connecting');
  const adding = [add('0')];
  await starting;
  const listing = host.tools();
  await Promise.all([letGo(fixture, 'gate-0'), add('1')]);
  expect((await listing).map(({ tool }) => tool)).toEqual(['echo', 'pid', 'environment']);
  const overlaps = watchStarts(host, 'x');
  const first = closing(host, 'x');
  adding.push(add('2'));
  await first;
  const [calling, connecting] = [environment(), host.connect('x')];
  const changed = nextEvent(host, 'mcp.config.changed', () => host.definitions()[0]?.env?.['N'] === '3');
  adding.push(add('3'));
  await changed;
  await letGo(fixture, 'gate-1');
  expect([(await calling).text, await connecting, overlaps]).toEqual(['3', { status: 'connected' }, [false]]);
  await Promise.all(adding);

  const again = watchStarts(host, 'x');
  const second = closing(host, 'x');
  const removing = host.remove('x');
  await second;
  expect([host.status(), await namesOf(host), await codeOf(environment())]).toEqual([
    {},
    [],
    'tool-not-found',
  ]);
  const added = nextEvent(host, 'mcp.config.changed', (event) => event.added.includes('x'));
  adding.push(add('4'));
  await added;
  const last = environment();
  await Promise.all(['gate-3', 'gate-4'].map((gate) => letGo(fixture, gate)));
  expect([(await last).text, again]).toEqual(['4', [false]]);
  await removing;
});

test('disconnect and close wait for an old server that is closing, and start no new one', async () => {
  await using fixture = await openHostFixture();
  const host = await fixture.open({
    ...allowed,
    servers: { x: lingering(fixture, 'gate', 'echo'), y: lingering(fixture, 'gate-y', 'echo') },
  });
  await host.connect();
  const pid = known(host.report()['x']?.pid);
  const overlaps = watchStarts(host, 'x');
  const started = closing(host, 'x');
  const adding = host.add('x', { ...fixture.program('echo'), env: { N: '2' } });
  await started;
  const disconnecting = host.disconnect('x');
  await letGo(fixture, 'gate');
  await disconnecting;
  expect([host.status()['x'], overlaps, isAlive(pid)]).toEqual([{ status: 'idle' }, [], false]);
  await adding;

  const removed = closing(host, 'y');
  const removing = host.remove('y');
  await removed;
  const ending = host.close();
  await letGo(fixture, 'gate-y');
  await ending;
  expect(fixture.running()).toBe(0);
  await removing;
});

test('connect reports no untrusted server while no question is asked, and starts what another process approved', async () => {
  await using fixture = await openHostFixture();
  const cwd = path.join(fixture.home, 'project');
  await mkdir(cwd);
  execFileSync('git', ['init', '-q', cwd]);
  const write = (indent: number) =>
    writeFile(
      path.join(cwd, '.mcp.json'),
      JSON.stringify({ mcpServers: { echo: fixture.program('echo') } }, undefined, indent),
      { mode: 0o600 },
    );
  await write(0);
  const host = await fixture.open({ cwd });
  const told = tell(host, 'echo');
  expect([await host.connect(), told]).toEqual([{ echo: { status: 'untrusted' } }, []]);
  expect([await host.connect('echo'), told]).toEqual([{ status: 'untrusted' }, []]);
  expect(host.report()['echo']?.code).toBe('trust-required');
  await write(2);
  await host.reload();
  await expect(host.readResource('echo', 'echo://greeting')).rejects.toThrow('.mcp.json:3 is not approved');
  const interaction = { confirmTrust: () => Promise.resolve('allow' as const) };
  const other = await fixture.open({ cwd, interaction });
  await other.connect('echo');
  expect([await host.connect(), told]).toEqual([
    { echo: { status: 'connected' } },
    ['connecting', 'connected'],
  ]);
});

test('servers that only moved to another line are not a change', async () => {
  await using fixture = await openHostFixture();
  await writeServers(fixture, { echo: fixture.program('echo') });
  const host = await fixture.open();
  const changes: unknown[] = [];
  host.on('mcp.config.changed', ({ added, removed, changed }) => changes.push([added, removed, changed]));
  await writeServers(fixture, { echo: fixture.program('echo') }, 2);
  expect(await host.reload()).toEqual({ added: [], removed: [], changed: [] });
  await writeServers(fixture, { a: fixture.program('echo'), echo: fixture.program('echo') }, 2);
  await host.reload();
  expect(changes).toEqual([[['a'], [], []]]);
  expect(host.definitions().map(({ name, origin }) => [name, origin.line])).toEqual([
    ['a', 3],
    ['echo', 9],
  ]);
});
