import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';

import { createFakeClock } from '../../../tests/support/fake-clock.ts';
import { isAlive, known as numberOf, until } from '../../../tests/support/processes.ts';
import { processTree } from './process-tree.ts';
import { createGuardian, startNodeGuardian, type Guardian, type GuardianParts } from './guardian.ts';

const children: ChildProcess[] = [];
const guardians: Guardian[] = [];
let runs = 0;

const nextRun = (): string => (runs += 1).toString(16).padStart(16, 'c');

function open(parts: GuardianParts = {}): Guardian & { readonly warnings: string[] } {
  const warnings: string[] = [];
  const guardian = createGuardian({ onWarning: (message) => warnings.push(message), ...parts });
  guardians.push(guardian);
  return Object.assign(guardian, { warnings });
}

function startSleeper(env: Record<string, string> = {}): number {
  const child = spawn('sleep', ['1000'], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], ...env },
  });
  children.push(child);
  return child.pid ?? 0;
}

afterEach(async () => {
  await Promise.all(guardians.splice(0).map((guardian) => guardian.close()));
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

test('none is there before the first program', async () => {
  const guardian = open();
  expect(guardian.pid).toBeUndefined();
  const run = nextRun();
  guardian.expect(run);
  const { pid } = guardian;
  guardian.watch(run, startSleeper());

  expect(pid).toBeGreaterThan(1);
  expect(guardian.pid).toBe(pid);
});

test('without a shell, the executable of a packed program is told to run the script and not the program', async () => {
  const child = startNodeGuardian([]);
  children.push(child);
  await once(child, 'spawn');
  const variables = fs.readFileSync(`/proc/${numberOf(child.pid)}/environ`, 'utf8').split('\0');

  expect(variables).toEqual(expect.arrayContaining(['BUN_BE_BUN=1', 'ELECTRON_RUN_AS_NODE=1']));
});

const kinds: [string, GuardianParts][] = [
  ['in the shell', {}],
  ['in Node', { start: startNodeGuardian }],
];
describe.each(kinds)('%s', (_name, parts) => {
  test('F04: when we are gone it ends what it watches and nothing that was released', async () => {
    const guardian = open(parts);
    const [watched, released, again] = [startSleeper(), startSleeper(), startSleeper()];
    const ids = [nextRun(), nextRun(), nextRun()] as const;
    guardian.expect(ids[0]);
    guardian.watch(ids[0], watched);
    guardian.watch(ids[1], released);
    guardian.watch(ids[2], again);
    guardian.release(ids[1]);
    // The end of the pipe is all it ever hears of our end.
    await guardian.close();

    await until(() => !isAlive(watched) && !isAlive(again), 5000);
    expect(isAlive(released)).toBe(true);
  });

  test('it goes quietly when there is nothing to end', async () => {
    const guardian = open(parts);
    const run = nextRun();
    guardian.expect(run);
    const { pid = 0 } = guardian;
    guardian.release(run);
    await guardian.close();

    expect(isAlive(pid)).toBe(false);
    expect(guardian.warnings).toEqual([]);
  });

  test('the signals that end a terminal session do not end it', async () => {
    const guardian = open(parts);
    const sleeper = startSleeper();
    guardian.watch(nextRun(), sleeper);
    const pid = numberOf(guardian.pid);
    await until(() => isDeafTo(pid, ['SIGHUP', 'SIGINT', 'SIGTERM']), 10_000);
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.kill(pid, signal);
    await guardian.close();
    await until(() => !isAlive(sleeper), 5000);

    expect(guardian.warnings).toEqual([]);
  });
});

/** Signals that are ignored or handled, by the masks in its status. */
function isDeafTo(pid: number, signals: readonly string[]): boolean {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  const masks = ['SigIgn', 'SigCgt'].map((name) =>
    BigInt(`0x${new RegExp(`^${name}:\\s+([0-9a-f]+)$`, 'm').exec(status)?.[1] ?? '0'}`),
  );
  const numbers: Record<string, bigint> = { SIGHUP: 1n, SIGINT: 2n, SIGTERM: 15n };
  return signals.every((signal) =>
    masks.some((mask) => (mask >> ((numbers[signal] ?? 1n) - 1n)) % 2n === 1n),
  );
}

test('it has a session of its own and none of our variables, the cookie least of all', async () => {
  const guardian = open();
  guardian.expect(nextRun());
  const { pid = 0 } = guardian;
  // The shell replaces the copy of ourselves that it was forked from.
  await until(() => fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('holt-guardian'), 5000);
  const session = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[3];
  const variables = fs
    .readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .filter((line) => line !== '');

  expect(Number(session)).toBe(pid);
  expect(variables.map((line) => line.split('=')[0])).toEqual(['PATH']);
});

test('F03: what has left its group dies with us too, by its cookie, be it started before its group was known', async () => {
  const guardian = open();
  const [known, expected, foreign] = [nextRun(), nextRun(), nextRun()];
  guardian.watch(known, startSleeper({ HOLT_RUN: known }));
  guardian.expect(expected);
  const leavers = [startSleeper({ HOLT_RUN: known }), startSleeper({ HOLT_RUN: expected })];
  const other = startSleeper({ HOLT_RUN: foreign });
  await guardian.close();

  await until(() => leavers.every((pid) => !isAlive(pid)), 5000);
  expect(isAlive(other)).toBe(true);
});

test.runIf(process.platform === 'linux')(
  'T123: what was seen as a descendant dies with us, with everything below it, and no process that has its number now',
  async () => {
    const guardian = open();
    const below = spawn('/bin/sh', ['-c', 'setsid sleep 1000 >/dev/null & echo $!; wait'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(below);
    const [line]: unknown[] = await once(below.stdout, 'data');
    const [seen, child] = [numberOf(below.pid), Number(String(line))];
    const [reused, server] = [startSleeper(), startSleeper()];
    const start = async (pid: number): Promise<string> => (await processTree.describe(pid))?.start ?? '';
    const processes = [
      { pid: seen, start: await start(seen) },
      { pid: reused, start: '1' },
      { pid: server, start: 'Mon Nov  2 10:00:00 2026' },
    ];
    guardian.watch(nextRun(), 0, processes);
    // A new guardian is told all of it when it starts.
    const first = numberOf(guardian.pid);
    process.kill(first, 'SIGKILL');
    await until(() => guardian.pid !== undefined && guardian.pid !== first, 5000);
    guardian.watch(nextRun(), server);
    await guardian.close();

    await until(() => [seen, child, server].every((pid) => !isAlive(pid)), 5000);
    expect(isAlive(reused)).toBe(true);
  },
);

test('F07: killed itself, another takes its place within a second, knows what the first one knew, and we are told once', async () => {
  const guardian = open();
  const [one, two] = [startSleeper(), startSleeper()];
  const released = startSleeper();
  const gone = nextRun();
  guardian.watch(nextRun(), one);
  guardian.watch(gone, released);
  const first = numberOf(guardian.pid);
  process.kill(first, 'SIGKILL');
  const gapMs = await until(() => guardian.pid !== undefined && guardian.pid !== first, 5000);
  const second = numberOf(guardian.pid);
  process.kill(second, 'SIGKILL');
  await until(() => guardian.pid !== undefined && guardian.pid !== second, 5000);
  guardian.watch(nextRun(), two);
  guardian.release(gone);
  await guardian.close();

  await until(() => !isAlive(one) && !isAlive(two), 5000);
  expect(isAlive(released)).toBe(true);
  expect(gapMs).toBeLessThan(1000);
  expect(guardian.warnings).toEqual(['The guardian was ended and is started again.']);
});

test('one that cannot live is tried a few times, ever more slowly, then we are told and it is left until the next program', async () => {
  const clock = createFakeClock();
  let starts = 0;
  const start = (): ChildProcess => {
    starts += 1;
    if (starts % 2 === 0) throw new Error('not even started');
    return spawn('/nonexistent/program');
  };
  const guardian = open({ clock, start });
  guardian.expect(nextRun());
  const turn = (): Promise<void> =>
    new Promise((resolve) => {
      setImmediate(resolve);
    });
  for (let round = 0; round < 30; round += 1) {
    await turn();
    await clock.advance(1000);
  }
  const tried = starts;
  guardian.expect(nextRun());

  expect(tried).toBe(7);
  expect(starts).toBe(8);
  expect(guardian.warnings).toEqual([
    'The guardian was ended and is started again.',
    ...Array.from(
      { length: guardian.warnings.length - 1 },
      () => 'The guardian does not stay up: if holt is killed, its servers may live on.',
    ),
  ]);
});

test('the end of the pipe is noticed in a moment', async () => {
  const guardian = open();
  const sleeper = startSleeper();
  guardian.watch(nextRun(), sleeper);
  const ended = children.map((child) => once(child, 'exit'));
  const startedAt = performance.now();
  void guardian.close();
  await Promise.all(ended);

  expect(performance.now() - startedAt).toBeLessThan(1000);
});
