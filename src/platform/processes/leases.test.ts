import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { hostSystem } from '../../../tests/fixtures/programs/start-program.ts';
import { deadNumber, isAlive, until } from '../../../tests/support/processes.ts';
import { createLeases, type LeaseParts, type Leases } from './leases.ts';
import { processTree } from './process-tree.ts';

const children: ChildProcess[] = [];
let home: string;
let warnings: string[];

beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'holt-leases-'));
  warnings = [];
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(home, { recursive: true, force: true });
});

const open = (parts: Partial<LeaseParts> = {}): Leases =>
  createLeases({
    holtHome: home,
    os: hostSystem,
    wallNow: () => Date.parse('2026-11-15T12:00:00Z'),
    onWarning: (message) => warnings.push(message),
    ...parts,
  });

function start(env: Record<string, string> = {}): number {
  const child = spawn('sleep', ['1000'], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], ...env },
  });
  children.push(child);
  return child.pid ?? 0;
}

const folder = (): string => path.join(home, 'run', 'leases');
const notes = async (): Promise<string[]> => readdir(folder());
const entry = (id: string, pid: number) => ({ id, server: 'echo', command: 'node echo.mjs --key ***', pid });
const id = (number: number): string => number.toString(16).padStart(16, 'd');

/** Writes a note as it stands on disk, changed as the test wants it. */
async function rewrite(name: string, change: Record<string, unknown>): Promise<void> {
  const file = path.join(folder(), `${name}.json`);
  const lease: Record<string, unknown> = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...lease, ...change }));
}

describe('a note', () => {
  test('tells who started what, and is for nobody else to read', async () => {
    const pid = start();
    await open().hold(entry(id(1), pid));
    const file = path.join(folder(), `${id(1)}.json`);
    const [me, program] = [await processTree.describe(process.pid), await processTree.describe(pid)];

    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      ...entry(id(1), pid),
      ...(await processTree.scope()),
      start: program?.start,
      owner: { pid: process.pid, start: me?.start },
      startedAt: '2026-11-15T12:00:00.000Z',
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(folder())).mode & 0o777).toBe(0o700);
  });

  test('is gone when it is released, also before it was written', async () => {
    const leases = open();
    const held = leases.hold(entry(id(1), start()));
    await leases.release(id(1));
    await held;

    expect(await notes()).toEqual([]);
  });

  test('is not written for a program that has ended already', async () => {
    await mkdir(folder(), { recursive: true });
    await open().hold(entry(id(1), await deadNumber()));

    expect(await notes()).toEqual([]);
  });

  test('that cannot be written is a warning, and the program runs', async () => {
    await writeFile(path.join(home, 'in-the-way'), '');
    await open({ holtHome: path.join(home, 'in-the-way', 'holt') }).hold(entry(id(1), start()));

    expect(warnings).toEqual([expect.stringContaining('"echo" could not be written')]);
  });
});

describe('a sweep', () => {
  test('ends what a dead owner has left, with its whole group, and drops the note', async () => {
    const child = spawn('sh', ['-c', 'sleep 1000 & echo $!; wait'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(child);
    const [line]: unknown[] = await once(child.stdout, 'data');
    const member = Number(String(line));
    await open({ owner: await deadNumber() }).hold(entry(id(1), child.pid ?? 0));
    const ended = await open().sweepStale();

    await until(() => !isAlive(child.pid ?? 0) && !isAlive(member), 5000);
    expect(ended).toEqual([{ server: 'echo', pid: child.pid, processes: 1, containers: [], left: [] }]);
    expect(await notes()).toEqual([]);
  });

  test('leaves alone what belongs to a living owner', async () => {
    const pid = start();
    await open().hold(entry(id(1), pid));

    expect(await open().sweepStale()).toEqual([]);
    expect(isAlive(pid)).toBe(true);
    expect(await notes()).toEqual([`${id(1)}.json`]);
  });

  test('never ends somebody who was given the number later', async () => {
    const pid = start();
    await open({ owner: await deadNumber() }).hold(entry(id(1), pid));
    await rewrite(id(1), { start: '1' });

    expect(await open().reap()).toEqual([]);
    expect(isAlive(pid)).toBe(true);
    expect(await notes()).toEqual([]);
  });

  test('is not fooled by an owner whose number somebody else has now', async () => {
    const pid = start();
    await open().hold(entry(id(1), pid));
    await rewrite(id(1), { owner: { pid: process.pid, start: '1' } });

    expect(await open().sweepStale()).toMatchObject([{ pid }]);
    await until(() => !isAlive(pid), 5000);
  });

  test('drops the notes of an earlier start of the machine and ends nobody', async () => {
    const pid = start({ HOLT_RUN: id(1) });
    await open().hold(entry(id(1), pid));
    await rewrite(id(1), { bootId: 'another' });

    expect(await open().sweepStale()).toEqual([]);
    expect(isAlive(pid)).toBe(true);
    expect(await notes()).toEqual([]);
  });

  test('does not touch what a container has noted in the same home', async () => {
    const pid = start({ HOLT_RUN: id(1) });
    await open({ owner: await deadNumber() }).hold(entry(id(1), pid));
    await rewrite(id(1), { space: 'pid:[1]' });

    expect(await open().sweepStale()).toEqual([]);
    expect(isAlive(pid)).toBe(true);
    expect(await notes()).toEqual([`${id(1)}.json`]);
  });

  test('finds who has left the group, and who outlived its leader, by the cookie', async () => {
    const [leader, leaver] = [start({ HOLT_RUN: id(1) }), start({ HOLT_RUN: id(1) })];
    await open({ owner: await deadNumber() }).hold(entry(id(1), leader));
    process.kill(leader, 'SIGKILL');
    await until(() => !isAlive(leader), 5000);

    expect(await open().sweepStale()).toEqual([
      { server: 'echo', pid: leader, processes: 1, containers: [], left: [] },
    ]);
    await until(() => !isAlive(leaver), 5000);
  });

  test.each([
    ['half a note', '{"id":"dddddddddddddddd","server":"ec'],
    ['a note of nothing', 'null'],
    ['another id', { id: id(2) }],
    ['everybody', { pid: -1 }],
    ['our own group', { pid: 0 }],
    ['the first process', { pid: 1 }],
    ['half a process', { pid: 1.5 }],
    ['no owner', { owner: undefined }],
  ])('%s on the disk means nothing', async (_name, content) => {
    const pid = start();
    await open({ owner: await deadNumber() }).hold(entry(id(1), pid));
    if (typeof content === 'string') await writeFile(path.join(folder(), `${id(1)}.json`), content);
    else await rewrite(id(1), content);

    expect(await open().sweepStale()).toEqual([]);
    expect(isAlive(pid)).toBe(true);
    expect(await notes()).toEqual([`${id(1)}.json`]);
  });

  test('takes away what was half written long ago, and nothing newer', async () => {
    await mkdir(folder(), { recursive: true });
    const [old, fresh] = [`.${id(1)}-00000001`, `.${id(1)}-00000002`].map((name) =>
      path.join(folder(), name),
    );
    await writeFile(old ?? '', '{');
    await writeFile(fresh ?? '', '{');
    await utimes(old ?? '', 1000, 1000);
    await open({ wallNow: Date.now }).sweepStale();

    expect(await notes()).toEqual([path.basename(fresh ?? '')]);
  });

  test('F09: ends the containers of the dead, by their label, and no others', async () => {
    const docker = path.join(home, 'docker');
    const record = path.join(home, 'docker.log');
    const container = 'a1b2c3d4e5f6'.repeat(5).slice(0, 64);
    await writeFile(
      docker,
      `#!/bin/sh\necho "$@" >>'${record}'\n[ "$1" = ps ] && echo ${container}\nexit 0\n`,
    );
    await chmod(docker, 0o755);
    const [stale, living] = [start(), start()];
    await open({ owner: await deadNumber() }).hold({ ...entry(id(1), stale), containerTool: docker });
    await open().hold({ ...entry(id(2), living), containerTool: docker });
    const ended = await open().sweepStale();

    expect(ended).toEqual([{ server: 'echo', pid: stale, processes: 1, containers: [container], left: [] }]);
    expect((await readFile(record, 'utf8')).trim().split('\n')).toEqual([
      `ps --quiet --no-trunc --filter label=holt.run=${id(1)}`,
      `kill ${container}`,
    ]);
  });

  test('of a home that is not there does nothing', async () => {
    expect(await open({ holtHome: path.join(home, 'nowhere') }).sweepStale()).toEqual([]);
  });
});

describe('T123: descendants', () => {
  const identityOf = async (pid: number) => ({ pid, start: (await processTree.describe(pid))?.start ?? '' });

  test('are added to the note of their server, and the note is gone with it', async () => {
    const [server, seen] = [start(), start()];
    const leases = open();
    void leases.hold(entry(id(1), server));
    await leases.remember(id(1), [await identityOf(seen)]);
    const note: unknown = JSON.parse(await readFile(path.join(folder(), `${id(1)}.json`), 'utf8'));
    await leases.release(id(1));
    await leases.remember(id(1), [await identityOf(seen)]);

    expect(note).toMatchObject({ ...entry(id(1), server), descendants: [await identityOf(seen)] });
    expect(await notes()).toEqual([]);
  });

  test('of a dead owner are listed as survivors and ended', async () => {
    const [server, seen] = [start(), start()];
    const leases = open({ owner: await deadNumber() });
    await leases.hold(entry(id(1), server));
    await leases.remember(id(1), [await identityOf(seen)]);
    process.kill(server, 'SIGKILL');
    await until(() => !isAlive(server), 5000);

    expect(await open().listProcesses()).toMatchObject([
      { kind: 'survivor', server: 'echo', pid: seen, command: 'sleep', owner: { alive: false } },
    ]);
    expect(await open().sweepStale()).toEqual([
      { server: 'echo', pid: server, processes: 1, containers: [], left: [] },
    ]);
    expect(isAlive(seen)).toBe(false);
    expect(await notes()).toEqual([]);
  });

  test('of a server that runs are neither listed nor ended', async () => {
    const [server, seen] = [start(), start()];
    const leases = open();
    await leases.hold(entry(id(1), server));
    await leases.remember(id(1), [await identityOf(seen)]);

    expect(await open().listProcesses()).toMatchObject([{ kind: 'server', pid: server }]);
    expect(await open().reap()).toEqual([]);
    expect([server, seen].map(isAlive)).toEqual([true, true]);
  });

  test('of a server that was stopped are survivors, also while its owner lives', async () => {
    const [server, seen] = [start(), start()];
    const leases = open();
    await leases.hold(entry(id(1), server));
    await leases.remember(id(1), [await identityOf(seen)], 'stopped');
    process.kill(server, 'SIGKILL');
    await until(() => !isAlive(server), 5000);

    expect(await open().listProcesses()).toMatchObject([
      { kind: 'survivor', pid: seen, owner: { pid: process.pid, alive: true } },
    ]);
    expect(await open().reap()).toMatchObject([{ pid: server, processes: 1 }]);
    expect(isAlive(seen)).toBe(false);
  });

  test('whose number another process has now are neither listed nor ended', async () => {
    const [server, other] = [start(), start()];
    const leases = open({ owner: await deadNumber() });
    await leases.hold(entry(id(1), server));
    await leases.remember(id(1), [{ pid: other, start: '1' }]);
    process.kill(server, 'SIGKILL');
    await until(() => !isAlive(server), 5000);

    expect(await open().listProcesses()).toEqual([]);
    expect(await open().reap()).toEqual([]);
    expect(isAlive(other)).toBe(true);
    expect(await notes()).toEqual([]);
  });

  test('of an earlier start of the machine are neither listed nor ended', async () => {
    const [server, seen] = [start(), start()];
    const leases = open({ owner: await deadNumber() });
    await leases.hold(entry(id(1), server));
    await leases.remember(id(1), [await identityOf(seen)]);
    await rewrite(id(1), { bootId: 'another' });

    expect(await open().listProcesses()).toEqual([]);
    expect(await open().reap()).toEqual([]);
    expect(isAlive(seen)).toBe(true);
  });

  test('that cannot be ended are reported, and stay in the note', async () => {
    const [server, seen] = [start(), start()];
    const leases = open({ owner: await deadNumber() });
    await leases.hold(entry(id(1), server));
    const identity = await identityOf(seen);
    await leases.remember(id(1), [identity]);
    process.kill(server, 'SIGKILL');
    await until(() => !isAlive(server), 5000);
    const tree = { ...processTree, signalProcess: async () => undefined };
    const ended = await open({ tree }).reap();

    expect(ended).toEqual([{ server: 'echo', pid: server, processes: 0, containers: [], left: [seen] }]);
    expect(await open().listProcesses()).toMatchObject([{ kind: 'survivor', pid: seen }]);
  });

  test.each([
    ['a number', 7],
    ['the first process', [{ pid: 1, start: '1' }]],
    ['no start', [{ pid: 4711 }]],
    ['nothing', [null]],
  ])('%s in their place makes the note invalid', async (_name, descendants) => {
    const pid = start();
    await open({ owner: await deadNumber() }).hold(entry(id(1), pid));
    await rewrite(id(1), { descendants });

    expect(await open().sweepStale()).toEqual([]);
    expect(isAlive(pid)).toBe(true);
  });
});

describe('the list', () => {
  test('shows what runs, by name, with memory, age and owner, and not what has ended', async () => {
    const [one, two, ended] = [start(), start(), start()];
    const leases = open();
    await leases.hold({ ...entry(id(1), one), server: 'zebra' });
    await leases.hold(entry(id(3), ended));
    await open({ owner: await deadNumber() }).hold(entry(id(2), two));
    process.kill(ended, 'SIGKILL');
    await until(() => !isAlive(ended), 5000);
    const rows = await open({ wallNow: () => Date.parse('2026-11-15T12:01:00Z') }).listProcesses();

    const common = {
      kind: 'server',
      command: 'node echo.mjs --key ***',
      startedAt: '2026-11-15T12:00:00.000Z',
      ageMs: 60_000,
      memoryBytes: expect.any(Number),
    };
    expect(rows).toEqual([
      { ...common, id: id(2), server: 'echo', pid: two, owner: { pid: expect.any(Number), alive: false } },
      { ...common, id: id(1), server: 'zebra', pid: one, owner: { pid: process.pid, alive: true } },
    ]);
    expect(await notes()).toHaveLength(3);
  });
});
