/** What a host does with real programs, good and bad. */

import { existsSync, readFileSync } from 'node:fs';
import { chmod, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { HoltError } from '../../src/kernel/errors.ts';
import type { Phase } from '../../src/kernel/phases.ts';
import { clientOf, nextEvent, nextStatus, openHostFixture } from '../support/host-fixture.ts';
import { isAlive, known, until } from '../support/processes.ts';
import { serverFolder } from '../support/stdio-fixture.ts';
import { scaled, startProgram } from '../fixtures/programs/start-program.ts';

const chain: readonly Phase[] = [
  'connecting',
  'initializing',
  'handshaking',
  'listing_resources',
  'listing_tools',
  'listing_prompts',
  'ready',
];

async function fixtureWith(names: readonly string[]) {
  const fixture = await openHostFixture();
  const servers = Object.fromEntries(names.map((name) => [name, fixture.program(name)]));
  return { fixture, host: await fixture.open({ servers }) };
}

const textOf = (result: unknown): string => JSON.stringify(result);

describe('connecting', () => {
  test('a healthy server walks every phase once, and its process is started once', async () => {
    await using fixture = await openHostFixture();
    const host = await fixture.open({ servers: { echo: fixture.program('echo') } });
    const steps: Phase[] = [];
    host.on('mcp.phase', ({ to }) => steps.push(to));
    expect(host.status()).toEqual({ echo: { status: 'idle' } });
    expect(await host.connect()).toEqual({ echo: { status: 'connected' } });
    expect(steps).toEqual(chain);
    const { lists, era, protocol, pid, phases } = host.report()['echo'] ?? {};
    expect([era, protocol, lists?.tools.length, lists?.resources.length, lists?.prompts.length]).toEqual([
      'stateless',
      '2026-07-28',
      3,
      1,
      1,
    ]);
    expect(Object.keys(phases ?? {})).toEqual(chain.slice(0, -1));
    const client = await clientOf(host, 'echo');
    expect(textOf(await client.callTool({ name: 'pid', arguments: {} }))).toContain(String(pid));
    expect(steps.slice(-2)).toEqual(['executing', 'ready']);
    await host.close();
    expect(steps.slice(-2)).toEqual(['cleaning_up', 'disconnected']);
  });

  test('both eras are spoken, each server in its own, and remembered for the next start', async () => {
    await using fixture = await openHostFixture();
    const names = ['echo', 'legacy-only', 'stateless-only', 'never-responds'];
    const servers = Object.fromEntries(
      names.map((name) => [name, fixture.program(name, ...(name === 'never-responds' ? ['probes'] : []))]),
    );
    for (const round of [1, 2]) {
      const host = await fixture.open({ servers }, { tuning: { graceMs: 300 } });
      const startedAt = performance.now();
      await host.connect();
      expect(Object.entries(host.report()).map(([name, { era }]) => [name, era])).toEqual([
        ['echo', 'stateless'],
        ['legacy-only', 'stateful'],
        ['never-responds', 'stateful'],
        ['stateless-only', 'stateless'],
      ]);
      await host.close();
      if (round === 2) expect(performance.now() - startedAt).toBeLessThan(5000);
    }
  });

  test('a program that ends at the probe is started once more, and never again after that', async () => {
    await using fixture = await openHostFixture();
    const servers = { x: fixture.program('exits-on-probe', fixture.startsFile) };
    for (const starts of [2, 3]) {
      const host = await fixture.open({ servers });
      expect(await host.connect('x')).toEqual({ status: 'connected' });
      await host.close();
      expect(await fixture.starts()).toBe(starts);
    }
  });

  test('a program that ends by itself is started once, whatever is remembered of it', async () => {
    await using fixture = await openHostFixture();
    const file = path.join(fixture.home, 'server.mjs');
    await symlink(path.join(serverFolder, 'echo.mjs'), file);
    const servers = { x: { command: process.execPath, args: [file, '3', fixture.startsFile] } };
    const died = {
      status: 'failed',
      error: expect.stringMatching(
        /^Failed to connect to "x": it exited with code 3[^]*DATABASE_URL is not set$/,
      ),
    };
    const host = await fixture.open({ servers });
    expect(await host.connect('x')).toEqual({ status: 'connected' });
    await host.disconnect('x');
    await rm(file);
    await symlink(path.join(serverFolder, 'exits-immediately.mjs'), file);
    expect([await host.connect('x'), await fixture.starts()]).toEqual([died, 1]);
    const fresh = { ...servers.x, args: [file, '3', fixture.startsFile, 'never seen'] };
    expect([await host.add('x', fresh), await fixture.starts()]).toEqual([died, 2]);
  });

  test('concurrent callers start a server process once', async () => {
    await using fixture = await openHostFixture();
    const host = await fixture.open({ servers: { echo: fixture.program('echo') } });
    await Promise.all([host.connect(), host.connect('echo'), host.connect('echo'), host.connect()]);
    expect(fixture.running()).toBe(1);
  });

  test('F18: a slow start delays no other server; its output is shown when it takes too long', async () => {
    await using fixture = await openHostFixture();
    const host = await fixture.open({
      servers: {
        slow: fixture.program('slow-start', '1500'),
        hopeless: { ...fixture.program('slow-start', '60000'), timeouts: { phases: { connecting: 700 } } },
        echo: fixture.program('echo'),
      },
    });
    const all = host.connect();
    await nextStatus(host, 'echo', 'connected');
    const asked = performance.now();
    expect(host.status()['slow']).toEqual({ status: 'connecting', phase: 'connecting' });
    expect(performance.now() - asked).toBeLessThan(300);
    const settled = await all;
    expect([settled['slow'], settled['echo']]).toEqual([{ status: 'connected' }, { status: 'connected' }]);
    expect(settled['hopeless']).toEqual({
      status: 'failed',
      error: expect.stringMatching(
        /^Failed to connect to "hopeless": no answer in phase connecting after 0\.7 s\. Raise phase_timeouts\.connecting [^]*\ndownloading$/,
      ),
    });
  });

  test('a program that exits immediately has failed, with its exit code and last output', async () => {
    const { fixture, host } = await fixtureWith(['exits-immediately', 'echo']);
    await using _ = fixture;
    const { 'exits-immediately': dead, echo } = await host.connect();
    expect(dead).toEqual({
      status: 'failed',
      error: expect.stringMatching(
        /^Failed to connect to "exits-immediately": it exited with code 3[^]*DATABASE_URL is not set$/,
      ),
    });
    expect(echo).toEqual({ status: 'connected' });
  });

  test('F21: a server that cannot be started fails immediately, with the reason and a remedy', async () => {
    await using fixture = await openHostFixture();
    const plain = path.join(fixture.home, 'not-executable');
    await writeFile(plain, 'hello');
    await chmod(plain, 0o644);
    const garbage = path.join(fixture.home, 'garbage');
    await writeFile(garbage, '\0\0\0\0');
    await chmod(garbage, 0o755);
    const host = await fixture.open({
      servers: {
        missing: { command: 'no-such-program-anywhere' },
        uvx: { command: 'uvx', args: ['x'], env: { PATH: '/nowhere' } },
        forbidden: { command: plain },
        garbage: { command: garbage },
        nowhere: { ...fixture.program('echo'), cwd: path.join(fixture.home, 'no', 'such', 'folder') },
      },
    });
    const startedAt = performance.now();
    const settled = await host.connect();
    expect(performance.now() - startedAt).toBeLessThan(3000);
    const errors = Object.fromEntries(
      Object.entries(settled).map(([name, status]) => [
        name,
        status.status === 'failed' ? status.error : status.status,
      ]),
    );
    expect(errors).toEqual({
      missing: expect.stringContaining('command not found: no-such-program-anywhere'),
      uvx: expect.stringMatching(/command not found: uvx.*uv/s),
      forbidden: expect.stringMatching(/not-executable/),
      garbage: expect.stringMatching(/garbage/),
      nowhere: expect.stringMatching(/folder|cwd/),
    });
    expect(fixture.running()).toBe(0);
  });

  test('a list with invalid entries loses only those, and reports them once', async () => {
    const { fixture, host } = await fixtureWith([
      'one-bad-tool',
      'same-names',
      'noisy-stdout',
      'repeats-cursor',
      'pages-forever',
    ]);
    await using _ = fixture;
    const warnings = new Set<string>();
    host.on('mcp.warning', ({ server, code }) => warnings.add(`${server} ${code}`));
    const startedAt = performance.now();
    const settled = await host.connect();
    expect(Object.values(settled)).toEqual(Array.from({ length: 5 }, () => ({ status: 'connected' })));
    const counts = Object.entries(host.report()).map(([name, { lists }]) => [name, lists?.tools.length]);
    expect(Object.fromEntries(counts)).toMatchObject({ 'pages-forever': 1000, 'repeats-cursor': 2 });
    expect([...warnings].toSorted()).toEqual([
      'noisy-stdout stdout-noise',
      'one-bad-tool entry-malformed',
      'pages-forever list-cut',
      'repeats-cursor list-cut',
      'same-names entry-duplicate',
    ]);
    // F56: the endless one is over soon.
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });
});

describe('living on', () => {
  test('F20: a program that exits during a call fails it immediately and is restarted', async () => {
    const { fixture, host } = await fixtureWith(['exits-after-one-call']);
    await using _ = fixture;
    await host.connect();
    const client = await clientOf(host, 'exits-after-one-call');
    const back = nextStatus(host, 'exits-after-one-call', 'connected');
    const startedAt = performance.now();
    await expect(client.callTool({ name: 'die', arguments: {} })).rejects.toThrow('Connection closed');
    expect(performance.now() - startedAt).toBeLessThan(1000);
    expect(host.status()['exits-after-one-call']).toMatchObject({
      status: 'connecting',
      retryAt: expect.any(String),
    });
    await back;
    const next = await clientOf(host, 'exits-after-one-call');
    expect(textOf(await next.callTool({ name: 'last', arguments: {} }))).toContain('my last words');
  });

  test('a call that may take less time than the next start is off does not wait for it; one with time does', async () => {
    await using fixture = await openHostFixture();
    const host = await fixture.open(
      { servers: { x: fixture.program('exits-after-one-call') }, policy: { default: 'allow' } },
      { backoff: { firstMs: 1500 } },
    );
    await host.connect('x');
    await host.call('mcp__x__die');
    const late = await host.call('mcp__x__last', {}, { timeoutMs: 20 });
    expect(late).toMatchObject({ ok: false, error: { code: 'connection-lost' } });
    expect(late.error?.message).toContain('Server "x" is down and is started again in ');
    expect(host.status()['x']).toMatchObject({ status: 'connecting', retryAt: expect.any(String) });
    expect(await host.call('mcp__x__last', {}, { timeoutMs: 60_000 })).toMatchObject({ ok: true });
  });

  test('F19: a program that keeps exiting is not restarted after five attempts', async () => {
    await using fixture = await openHostFixture();
    const host = await fixture.open(
      { servers: { x: fixture.program('exits-after-connecting', fixture.startsFile) } },
      { backoff: { firstMs: 5 } },
    );
    await host.connect();
    await nextStatus(host, 'x', 'failed');
    expect(host.status()['x']).toEqual({
      status: 'failed',
      error: expect.stringMatching(/keeps failing[^]*I was up$/),
    });
    expect(await fixture.starts()).toBe(6);
  });

  test('F45: a stopped program is found out at the next call, and replaced', async () => {
    await using fixture = await openHostFixture();
    const servers = { echo: fixture.program('echo') };
    const { host, supervisor } = await fixture.openWithin(
      { servers, timeouts: { idleMs: 300 } },
      { livenessMs: 300 },
    );
    expect(await host.connect()).toEqual({ echo: { status: 'connected' } });
    const connection = supervisor.connections.get('echo');
    const pid = known(host.report()['echo']?.pid);
    process.kill(pid, 'SIGSTOP');
    const call = () =>
      connection?.use((session, request) =>
        session.call('tools/call', { name: 'pid', arguments: {} }, request),
      );
    const error = await call()?.catch((thrown: unknown) => thrown);
    expect(HoltError.is(error, 'call-timeout')).toBe(true);
    expect(textOf(await call())).not.toContain(String(pid));
    await until(() => !isAlive(pid), 5000);
  });

  test('a changed list is read again and reported once, and only if it really changed', async () => {
    const { fixture, host } = await fixtureWith(['changes-tool-list']);
    await using _ = fixture;
    // The first list is a change, too: it has been told when it is given out.
    await host.tools();
    const told: string[] = [];
    for (const kind of ['tools', 'resources', 'prompts'] as const)
      host.on(`mcp.${kind}.changed`, () => told.push(kind));
    const client = await clientOf(host, 'changes-tool-list');
    const changed = nextEvent(host, 'mcp.tools.changed');
    await client.callTool({ name: 'pretend', arguments: {} });
    await client.callTool({ name: 'burst', arguments: {} });
    await changed;
    expect([told, host.report()['changes-tool-list']?.lists?.tools.length]).toEqual([['tools'], 4]);
  });
});

describe('many', () => {
  // A ratio of times: what else runs on the machine can spoil one try, not three.
  test('29 servers that hang do not slow the thirtieth down', { retry: 2 }, async () => {
    await using fixture = await openHostFixture();
    const hanging = Object.fromEntries(
      Array.from({ length: 29 }, (_, at) => [`hangs-${at}`, fixture.program('never-responds')]),
    );
    const time = async (servers: Record<string, unknown>): Promise<number> => {
      const host = await fixture.open(
        { servers: { ...servers, zz: fixture.program('echo') } },
        { tuning: { graceMs: 60_000 } },
      );
      const up = nextStatus(host, 'zz', 'connected');
      void host.connect();
      await up;
      const client = await clientOf(host, 'zz');
      const times: number[] = [];
      for (let round = 0; round < 300; round += 1) {
        const startedAt = performance.now();
        await client.callTool({ name: 'echo', arguments: { text: 'x' } });
        times.push(performance.now() - startedAt);
      }
      await host.close();
      return times.toSorted((left, right) => left - right)[150] ?? Number.NaN;
    };
    const ratios: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const alone = await time({});
      ratios.push((await time(hanging)) / alone);
    }
    expect(ratios.toSorted((left, right) => left - right)[1]).toBeLessThanOrEqual(1.5);
  });

  test('F23: many servers start, a few at a time, and stop again', async () => {
    await using fixture = await openHostFixture();
    const count = scaled(30);
    const servers = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`s${at}`, fixture.program('echo')]),
    );
    const host = await fixture.open({ servers });
    const settled = await host.connect();
    expect(Object.values(settled).every(({ status }) => status === 'connected')).toBe(true);
    expect(fixture.running()).toBe(count);
    await host.close();
    expect(fixture.running()).toBe(0);
  });

  test('F49: closing while servers start and calls run ends them all immediately', async () => {
    await using fixture = await openHostFixture();
    const stubborn = Object.fromEntries(
      Array.from({ length: 4 }, (_, at) => [`stubborn-${at}`, fixture.program('ignores-sigterm')]),
    );
    const busy = Object.fromEntries(
      Array.from({ length: 4 }, (_, at) => [`busy-${at}`, fixture.program('never-responds', 'calls')]),
    );
    const host = await fixture.open({
      servers: { ...stubborn, ...busy, starting: fixture.program('slow-start', '60000') },
    });
    void host.connect();
    await Promise.all(
      [...Object.keys(stubborn), ...Object.keys(busy)].map((name) => nextStatus(host, name, 'connected')),
    );
    const clients = await Promise.all(Object.keys(busy).map((name) => clientOf(host, name)));
    const calls = clients.flatMap((client) =>
      Array.from({ length: 3 }, () => client.callTool({ name: 'wait', arguments: {} }).catch(() => 'failed')),
    );
    const startedAt = performance.now();
    await host.close();
    expect(performance.now() - startedAt).toBeLessThan(8000);
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['failed']));
    expect(fixture.running()).toBe(0);
  });

  test('two hosts in one process are independent', async () => {
    await using one = await openHostFixture();
    await using two = await openHostFixture();
    const [left, right] = [
      await one.open({ servers: { echo: one.program('echo') } }),
      await two.open({ servers: { echo: two.program('echo') } }),
    ];
    const heard: string[] = [];
    right.on('mcp.phase', ({ to }) => heard.push(to));
    await left.connect();
    expect([heard, right.status()]).toEqual([[], { echo: { status: 'idle' } }]);
    await right.connect();
    await left.close();
    expect([right.status(), one.running(), two.running()]).toEqual([{ echo: { status: 'connected' } }, 0, 1]);
  });
});

describe('F44: a host that is stopped and continued', () => {
  test('takes no limit that ran out meanwhile for a server that hangs', async () => {
    await using fixture = await openHostFixture();
    await using program = startProgram('stopped-host', {
      home: fixture.home,
      server: fixture.program('slow-start', '300', fixture.startsFile),
    });
    expect(await program.nextLine()).toBe('connecting');
    const said = (): string =>
      existsSync(fixture.startsFile) ? readFileSync(fixture.startsFile, 'utf8') : '';
    await until(() => said() === 'up\nasked\n', 10_000);
    // Longer than the limit, and the answer waits in the pipe when it goes on.
    program.child.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 1800));
    await until(() => said() === 'up\nasked\nanswered\n', 10_000);
    program.child.kill('SIGCONT');
    expect(JSON.parse(await program.nextLine())).toEqual({ slow: { status: 'connected' } });
  });
});
