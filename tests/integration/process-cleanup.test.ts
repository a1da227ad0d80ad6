/** However holt ends, no process of its servers is left: shown by walking /proc. */

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { createLeases } from '../../src/platform/processes/leases.ts';
import type { CyclesTask, Holdings } from '../fixtures/programs/connect-cycles.ts';
import type { OpenTask } from '../fixtures/programs/open-transports.ts';
import {
  commandFor,
  hostSystem,
  scaled,
  startCommand,
  startProgram,
  type Program,
} from '../fixtures/programs/start-program.ts';
import { isAlive, processesWith, until } from '../support/processes.ts';
import { markName } from '../support/stdio-fixture.ts';

type Servers = OpenTask['servers'];

let home: string;
let mark: string;

beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'holt-left-'));
  mark = randomBytes(8).toString('hex');
});
afterEach(async () => {
  for (const pid of processesWith(markName, mark)) process.kill(pid, 'SIGKILL');
  await rm(home, { recursive: true, force: true });
});

const echo = path.join(import.meta.dirname, '..', 'fixtures', 'servers', 'echo.mjs');
const count = 10;
/** node, a shell, node: what `npx` leaves running. */
const trees: Servers = Array.from({ length: count }, () => ['starts-process-tree', 'echo']);
const stubborn: Servers = Array.from({ length: 3 }, () => ['starts-process-tree', 'ignores-sigterm']);

const left = (): readonly number[] => processesWith(markName, mark);
const taskOf = (servers: Servers, more: Partial<OpenTask> = {}): OpenTask => ({
  home,
  mark,
  servers,
  ...more,
});

/** Connected to all of them; the answer is the guardian's number. */
async function ready(program: Program): Promise<number> {
  expect(await program.nextLine()).toBe('starting');
  const line = await program.nextLine();
  expect(line).toMatch(/^ready \d+$/);
  return Number(line.split(' ')[1]);
}

/** A second was promised; a busy machine gets more. */
const promptMs = 5000;

async function nothingLeft(guardian: number): Promise<void> {
  await until(() => left().length === 0, promptMs);
  await until(() => !isAlive(guardian), promptMs);
}

async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  for (let time = 0; time < times; time += 1) await work();
}

describe('ten connected trees of three processes each', () => {
  test('after close() nothing is left, and nothing keeps the program alive', async () => {
    await repeat(scaled(1), async () => {
      await using program = startProgram('open-transports', taskOf(trees));
      const guardian = await ready(program);
      expect(left()).toHaveLength(3 * count);
      program.say('close');
      expect(await program.nextLine()).toBe('closed');
      expect(left()).toEqual([]);

      expect(await program.ended).toEqual({ code: 0, signal: null, stderr: '' });
      await nothingLeft(guardian);
    });
  }, 600_000);

  test('after Ctrl-C nothing is left', async () => {
    await repeat(scaled(1), async () => {
      await using program = startProgram('open-transports', taskOf(trees));
      const guardian = await ready(program);
      program.child.kill('SIGINT');

      expect(await program.ended).toMatchObject({ code: 130 });
      expect(left()).toEqual([]);
      await nothingLeft(guardian);
    });
  }, 600_000);

  test('F04: after kill -9 nothing is left, and the next start drops the notes', async () => {
    await repeat(scaled(1), async () => {
      await using program = startProgram('open-transports', taskOf(trees));
      const guardian = await ready(program);
      expect(left()).toHaveLength(3 * count);
      program.child.kill('SIGKILL');
      await program.ended;

      await nothingLeft(guardian);
    });
    // Files that were being written when holt was killed count as abandoned after a minute.
    const wallNow = (): number => Date.now() + 61_000;
    const leases = createLeases({ holtHome: home, os: hostSystem, wallNow });
    expect(await leases.sweepStale()).toEqual([]);
    expect(await readdir(path.join(home, 'run', 'leases'))).toEqual([]);
  }, 600_000);
});

test('F04: after kill -9 at any moment of the start nothing is left', async () => {
  await repeat(scaled(2), async () => {
    await using program = startProgram('open-transports', taskOf(trees));
    expect(await program.nextLine()).toBe('starting');
    // Not waiting for anything: this is when the blow falls.
    await pause(Math.random() * 200);
    program.child.kill('SIGKILL');
    await program.ended;

    await until(() => left().length === 0, promptMs);
  });
}, 600_000);

describe('F05: when the host itself goes down', () => {
  test('by an uncaught exception, nothing is left', async () => {
    await using program = startProgram('open-transports', taskOf(stubborn));
    const guardian = await ready(program);
    program.say('throw');

    expect(await program.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nobody catches this'),
    });
    await nothingLeft(guardian);
  });

  test('for want of memory, nothing is left', async () => {
    const [node = '', ...rest] = commandFor('open-transports', taskOf(stubborn));
    await using program = startCommand([node, '--max-old-space-size=60', ...rest]);
    const guardian = await ready(program);
    program.say('out of memory');

    expect((await program.ended).code).not.toBe(0);
    await nothingLeft(guardian);
  });
});

describe('F06: a terminal', () => {
  test('that closes ends everything in an orderly way', async () => {
    await using program = startProgram('open-transports', taskOf(stubborn));
    const guardian = await ready(program);
    program.child.kill('SIGHUP');

    expect(await program.ended).toMatchObject({ code: 130 });
    expect(left()).toEqual([]);
    await nothingLeft(guardian);
  });

  test('whose window is killed ends everything', async () => {
    const line = commandFor('open-transports', taskOf(stubborn))
      .map((word) => `'${word}'`)
      .join(' ');
    await using program = startCommand([
      'script',
      '--quiet',
      '--flush',
      '--return',
      '--command',
      line,
      '/dev/null',
    ]);
    for (let said = await program.nextLine(); !said.startsWith('ready'); said = await program.nextLine());
    expect(left()).toHaveLength(9);
    program.child.kill('SIGKILL');

    await until(() => left().length === 0, 10_000);
  });

  test('where Ctrl-C is pressed twice: the second one ends without waiting', async () => {
    await using program = startProgram('open-transports', taskOf(stubborn));
    const guardian = await ready(program);
    program.child.kill('SIGINT');
    const startedAt = performance.now();
    program.child.kill('SIGTERM');

    expect(await program.ended).toMatchObject({ code: 130 });
    // Without the second one it takes two seconds.
    expect(performance.now() - startedAt).toBeLessThan(1900);
    await nothingLeft(guardian);
  });
});

describe('F07: when the guardian is killed', () => {
  test('first, another has taken its place and nothing is left', async () => {
    await using program = startProgram('open-transports', taskOf(stubborn));
    const guardian = await ready(program);
    const others = guardiansOf(program.child.pid ?? 0);
    process.kill(guardian, 'SIGKILL');
    await until(() => guardiansOf(program.child.pid ?? 0).some((pid) => pid !== guardian), promptMs);
    program.child.kill('SIGKILL');
    await program.ended;

    expect(others).toEqual([guardian]);
    await until(() => left().length === 0, promptMs);
  });

  test('in the same moment, the next start finds what is left and ends it', async () => {
    await using program = startProgram('open-transports', taskOf(stubborn));
    const guardian = await ready(program);
    await until(() => isNoted(stubborn.length), promptMs);
    program.child.kill('SIGSTOP');
    process.kill(guardian, 'SIGKILL');
    program.child.kill('SIGKILL');
    await program.ended;
    expect(left()).toHaveLength(9);
    const leases = createLeases({ holtHome: home, os: hostSystem, wallNow: Date.now });
    const listed = await leases.listProcesses();
    const ended = await leases.reap();

    expect(listed.map(({ server, owner }) => ({ server, owner }))).toEqual(
      stubborn.map(() => ({
        server: 'starts-process-tree',
        owner: { pid: program.child.pid, alive: false },
      })),
    );
    expect(new Set(ended.map(({ pid }) => pid))).toEqual(new Set(listed.map(({ pid }) => pid)));
    await until(() => left().length === 0, promptMs);
    expect(await leases.listProcesses()).toEqual([]);
  });
});

test('F53: connecting and disconnecting again and again holds on to nothing', async () => {
  const rounds = scaled(10);
  const servers = { it: { command: process.execPath, args: [echo] } };
  const task: CyclesTask = { home, servers, parts: [10, rounds] };
  await using program = startProgram('connect-cycles', task);
  const before: Holdings = JSON.parse(await program.nextLine());
  const after: Holdings = JSON.parse(await program.nextLine());

  expect(await program.ended).toMatchObject({ code: 0 });
  expect({ ...after, heapBytes: 0 }).toEqual({ ...before, resources: 0, heapBytes: 0 });
  // What the machine compiles and caches on the way is no leak: a MiB, and a KiB for each round.
  expect(after.heapBytes - before.heapBytes).toBeLessThan(2 ** 20 + rounds * 1024);
}, 600_000);

function isNoted(programs: number): boolean {
  return processesNoted().length === programs;
}

function processesNoted(): readonly string[] {
  try {
    return fs.readdirSync(path.join(home, 'run', 'leases')).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

/** Children of a process that are guardians. */
function guardiansOf(parent: number): readonly number[] {
  return fs
    .readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
    .split(' ')
    .map(Number)
    .filter(
      (pid) =>
        pid > 0 && isAlive(pid) && fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('holt-guardian'),
    );
}

test('F08: no process is tied to the life of a thread', () => {
  const folder = path.join(import.meta.dirname, '..', '..', 'src');
  const sources = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.test)\.ts$/.test(name));
  const texts = sources.map((name) => ({ name, text: fs.readFileSync(path.join(folder, name), 'utf8') }));
  const tied = texts.filter(({ text }) => /pdeathsig|setpriv|prctl/i.test(text));
  const inWorkers = texts.filter(
    ({ text }) => text.includes('node:child_process') && text.includes('worker_threads'),
  );

  expect([...tied, ...inWorkers].map(({ name }) => name)).toEqual([]);
});

test('F22: with too few files for all of them, each server is started in turn and none crashes', async () => {
  const servers: Servers = Array.from({ length: 30 }, () => ['echo']);
  const line = commandFor('open-transports', taskOf(servers, { oneByOne: true }))
    .map((word) => `'${word}'`)
    .join(' ');
  await using program = startCommand(['/bin/sh', '-c', `ulimit -n 64; exec ${line}`]);
  await ready(program);
  program.say('close');

  expect(await program.nextLine()).toBe('closed');
  expect(await program.ended).toEqual({ code: 0, signal: null, stderr: '' });
  expect(left()).toEqual([]);
}, 120_000);
