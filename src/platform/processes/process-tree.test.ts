import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';

import { isAlive, until } from '../../../tests/support/processes.ts';
import { createLinuxTree } from './trees/linux-tree.ts';
import { createMacTree } from './trees/mac-tree.ts';
import { everyProcess, hasEnded, kernelProcesses, parseStat, readLiving } from './trees/proc-files.ts';
import { signal } from './trees/process-facts.ts';
import { createProcessTree, createWindowsTree } from './process-tree.ts';
import type { RunCommand } from './run-command.ts';

const started: number[] = [];

/** A shell line in a process group of its own; its first line of output is a number that the test wants. */
async function startGroup(
  line: string,
  env: Record<string, string> = {},
  ...args: readonly string[]
): Promise<{ exited: Promise<unknown>; pid: number; told: number }> {
  const child = spawn('/bin/sh', ['-c', line, 'sh', ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], ...env },
  });
  const exited = once(child, 'exit');
  const pid = child.pid ?? 0;
  const [text]: unknown[] = await once(child.stdout ?? child, 'data');
  const told = Number(String(text).trim());
  started.push(pid, told);
  return { exited, pid, told };
}

afterEach(() => {
  for (const pid of started.splice(0).filter((number) => number > 1)) {
    for (const target of [-pid, pid]) signal(target, 'SIGKILL');
  }
});

test.each([
  [
    '17 (node) S 1 5 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0',
    { pid: 17, parent: 1, group: 5, state: 'S', start: '4711', threads: 1, isKernels: false },
  ],
  [
    '17 (a) b (c) Z 1 5 5 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 3 0 99 0',
    { pid: 17, parent: 1, group: 5, state: 'Z', start: '99', threads: 3, isKernels: true },
  ],
  ['nonsense', undefined],
  ['17 (cut) S 1', undefined],
])('the line %j is read', (line, expected) => {
  expect(parseStat(line)).toEqual(expected);
});

test.runIf(process.platform === 'linux')(
  'what is passed over is the kernel’s, and nothing else is',
  async () => {
    const isKernels = (pid: number): boolean | undefined => readLiving(pid)?.isKernels;
    const passedOver = kernelProcesses();
    expect([...passedOver].filter((pid) => isKernels(pid) === false)).toEqual([]);
    const looked: number[] = [];
    for await (const pid of everyProcess()) looked.push(pid);
    expect(looked).toContain(process.pid);
    expect(looked.filter((pid) => passedOver.has(pid))).toEqual([]);
  },
);

test('a process has ended when its last thread has, whatever its first one says', () => {
  const ends = [
    { state: 'Z', threads: 2 },
    { state: 'Z', threads: 1 },
    { state: 'Z', threads: 0 },
    { state: 'X', threads: 1 },
    { state: 'R', threads: 1 },
  ];

  expect(ends.map(hasEnded)).toEqual([false, true, true, true, false]);
});

describe.runIf(process.platform === 'linux')('on Linux', () => {
  const tree = createProcessTree('linux');

  test('a process is the same as long as its start is', async () => {
    const [one, two] = [await tree.describe(process.pid), await tree.describe(process.pid)];
    const { pid } = await startGroup('echo 0; exec sleep 100');
    const other = await tree.describe(pid);

    expect(one).toEqual(two);
    expect(one).toMatchObject({ pid: process.pid, start: expect.stringMatching(/^\d+$/) });
    expect(other).toMatchObject({ pid, group: pid });
  });

  test('who has ended is nobody, also as a zombie', async () => {
    const { exited, pid, told: zombie } = await startGroup('setsid sh -c "exit 0" & echo $!; exec sleep 100');
    await until(() => !isAlive(zombie), 5000);
    expect(await tree.describe(zombie)).toBeUndefined();
    expect(await tree.isGroupAlive(zombie)).toBe(false);
    process.kill(-pid, 'SIGKILL');
    await exited;

    expect(await tree.describe(pid)).toBeUndefined();
  });

  test('a group lives as long as one of it does, its leader or not', async () => {
    const { exited, pid, told } = await startGroup('sleep 100 >/dev/null & echo $!');
    await exited;
    expect(await tree.isGroupAlive(pid)).toBe(true);
    await tree.signalGroup(pid, 'SIGKILL');
    await until(() => !isAlive(told), 5000);

    expect(await tree.isGroupAlive(pid)).toBe(false);
    await tree.signalGroup(pid, 'SIGKILL');
  });

  test('the memory of a group is that of all its members', async () => {
    const alone = await startGroup('echo 0; exec sleep 100');
    const three = await startGroup('sleep 100 >/dev/null & sleep 100 >/dev/null & echo 0; exec sleep 100');
    const small = async (): Promise<number> => (await tree.memoryBytes(alone.pid)) ?? 0;
    // A shell needs a moment to become what it was told to be.
    const ratio = async (): Promise<number> => ((await tree.memoryBytes(three.pid)) ?? 0) / (await small());
    await expect.poll(ratio, { timeout: 10_000 }).toBeGreaterThan(2);

    expect(await small()).toBeGreaterThan(100_000);
    expect(await tree.memoryBytes(999_999_999)).toBeUndefined();
  });

  test('F03: who left its group is found by its cookie, and nobody else', async () => {
    const left = 'setsid sleep 100 >/dev/null & echo $!; wait';
    const mine = await startGroup(left, { HOLT_RUN: 'aaaa000000000001' });
    const other = await startGroup(left, { HOLT_RUN: 'aaaa000000000002' });
    const alike = await startGroup(left, {
      NOT_HOLT_RUN: 'aaaa000000000001',
      NOTE: 'HOLT_RUN=aaaa000000000001',
    });
    const longer = await startGroup(left, { HOLT_RUN: 'aaaa0000000000011' });
    const ended = await tree.endRun('aaaa000000000001');
    await until(() => !isAlive(mine.told), 5000);

    expect(ended).toBe(2);
    expect([other, alike, longer].map(({ told }) => isAlive(told))).toEqual([true, true, true]);
    expect(await tree.endRun('aaaa000000000001')).toBe(0);
  });

  test('F03: who is becoming another program at that moment is found as well', async () => {
    const restless = 'exec sh -c "$0" "$0"';
    for (let turn = 0; turn < 60; turn += 1) {
      const env = { HOLT_RUN: `cccc00000000${turn + 1000}` };
      const { pid } = await startGroup(`echo 0; ${restless.replaceAll('$0', '$1')}`, env, restless);
      expect(await tree.endRun(env.HOLT_RUN)).toBe(1);
      await until(() => !isAlive(pid), 5000);
    }
  });

  test('runs that end together are counted apart', async () => {
    const leaver = 'setsid sleep 100 >/dev/null &';
    await startGroup(`${leaver} echo $!; wait`, { HOLT_RUN: 'bbbb000000000001' });
    await startGroup(`${leaver} ${leaver} echo $!; wait`, { HOLT_RUN: 'bbbb000000000002' });
    const runs = ['bbbb000000000001', 'bbbb000000000002', 'bbbb000000000003'];
    const counts = await Promise.all(runs.map((run) => tree.endRun(run)));

    expect(counts).toEqual([2, 3, 0]);
  });

  test.each([
    ['the kernel’s lists of children', true],
    ['a look at all processes', false],
  ])(
    'T123: descendants in other sessions and without the cookie are found by %s',
    async (_how, isListing) => {
      const { pid, told } = await startGroup('setsid env -i sleep 100 >/dev/null & echo $!; wait');
      const linux = createLinuxTree(isListing);
      const found = await linux.findDescendants(pid, []);
      const start = (await tree.describe(told))?.start ?? '';

      expect(found.map((each) => each.pid)).toEqual([told]);
      expect(await linux.findDescendants(undefined, [{ pid: told, start }])).toHaveLength(1);
      expect(await linux.findDescendants(undefined, [{ pid: told, start: '1' }])).toEqual([]);
      expect(await linux.findDescendants(undefined, [{ pid: process.ppid, start: '1' }])).toEqual([]);
    },
  );

  test('T123: a process is signalled with the group that it leads, and not when its number is another one’s', async () => {
    const { exited, pid, told } = await startGroup('sleep 100 >/dev/null & echo $!; wait');
    const start = (await tree.describe(pid))?.start ?? '';
    await tree.signalProcess({ pid, start: `${start}0` }, 'SIGKILL');
    await tree.signalProcess({ pid: told, start: '' }, 'SIGKILL');
    await tree.signalProcess({ pid, start }, 'SIGTERM');

    expect(await exited).toEqual([null, 'SIGTERM']);
    await until(() => !isAlive(told), 5000);
  });

  test('what a process uses is told with its name and age', async () => {
    const { pid } = await startGroup('echo 0; exec sleep 100');
    await expect.poll(async () => (await tree.usage(pid))?.name, { timeout: 5000 }).toBe('sleep');
    const usage = await tree.usage(pid);

    expect(usage?.memoryBytes).toBeGreaterThan(100_000);
    expect(usage?.ageMs).toBeLessThan(60_000);
    expect(await tree.usage(999_999_999)).toBeUndefined();
  });

  test('the machine and the space of its numbers have names', async () => {
    expect(await tree.scope()).toEqual(await tree.scope());
    expect(await tree.scope()).toMatchObject({ space: expect.stringContaining('pid:') });
  });
});

/** Answers by the program's name and keeps what was run. */
function fakeRun(answers: Readonly<Record<string, string>>): {
  readonly run: RunCommand;
  readonly ran: string[];
} {
  const ran: string[] = [];
  const run: RunCommand = async (command) => {
    if (command.kind === 'shell') throw new Error('no shell here');
    ran.push([command.program, ...command.args].join(' '));
    return { kind: 'printed', text: answers[command.program] ?? '' };
  };
  return { run, ran };
}

test('Windows ends a tree by its root, whatever the signal, and never by what a file says', async () => {
  const { run, ran } = fakeRun({});
  const tree = createWindowsTree(run);
  await tree.signalGroup(4711, 'SIGTERM');

  expect(ran).toEqual([expect.stringMatching(/\\System32\\taskkill\.exe \/PID 4711 \/T \/F$/)]);
  expect(await tree.describe(process.pid)).toEqual({
    pid: process.pid,
    group: process.pid,
    start: undefined,
  });
  expect(await tree.describe(999_999_999)).toBeUndefined();
  expect(await tree.endRun('aaaa000000000001')).toBe(0);
  expect(await tree.findDescendants(process.pid, [])).toEqual([]);
  await tree.signalProcess({ pid: process.pid, start: '' }, 'SIGKILL');
  expect(ran).toHaveLength(1);
});

test('macOS is asked by ps, and its zombies are nobody', async () => {
  const ps =
    '  501     1   501 Ss    2048 Mon Nov  2 10:00:00 2026\n  502   501   501 S+     512 Mon Nov  2 10:00:01 2026\n  503   501   501 Z        0 Mon Nov  2 10:00:02 2026\n';
  const { run, ran } = fakeRun({ ps, sysctl: 'A-B-C\n' });
  const tree = createMacTree(run);

  expect(await tree.describe(501)).toMatchObject({ pid: 501, group: 501, start: 'Mon Nov  2 10:00:00 2026' });
  expect(await tree.memoryBytes(501)).toBe(2560 * 1024);
  expect(await tree.memoryBytes(7)).toBeUndefined();
  expect(await tree.scope()).toEqual({ bootId: 'A-B-C', space: '' });
  expect(ran[0]).toBe('ps -p 501 -o pid=,ppid=,pgid=,stat=,rss=,lstart=');
});

test('T123: on macOS descendants are found by one ps, a reused number is not, and is not signalled', async () => {
  const ps =
    '  501     1   501 Ss    2048 Mon Nov  2 10:00:00 2026\n  502   501   502 S      512 Mon Nov  2 10:00:01 2026\n  503     1   503 S      512 Mon Nov  2 10:00:02 2026\n  504   503   503 S      512 Mon Nov  2 10:00:03 2026\n';
  const { run, ran } = fakeRun({ ps });
  const tree = createMacTree(run);
  const start = 'Mon Nov  2 10:00:02 2026';
  const found = await tree.findDescendants(501, [{ pid: 503, start }]);
  const reused = await tree.findDescendants(undefined, [{ pid: 503, start: 'Mon Nov  2 09:00:00 2026' }]);

  expect(found.map(({ pid }) => pid).toSorted((left, right) => left - right)).toEqual([502, 503, 504]);
  expect(reused).toEqual([]);
  expect(ran).toEqual(Array.from({ length: 2 }, () => 'ps -A -o pid=,ppid=,pgid=,stat=,rss=,lstart='));
  expect(await tree.findDescendants(undefined, [])).toEqual([]);
  expect(ran).toHaveLength(2);

  const mine = `${process.pid} 1 ${process.pid} S 512 Mon Nov  2 10:00:02 2026\n`;
  await createMacTree(fakeRun({ ps: mine }).run).signalProcess(
    { pid: process.pid, start: 'other' },
    'SIGKILL',
  );
});

test('on macOS the name of a process is the one of its program, and its age is counted from its start', async () => {
  const run: RunCommand = async (command) => {
    if (command.kind === 'shell') throw new Error('no shell here');
    const text = command.args.includes('comm=')
      ? '/usr/bin/sleep\n'
      : '  501     1   501 Ss    2048 Mon Nov  2 10:00:00 2026\n';
    return { kind: 'printed', text };
  };
  const tree = createMacTree(run, () => Date.parse('2026-11-02T10:00:30Z'));

  expect(await tree.usage(501)).toEqual({ name: 'sleep', memoryBytes: 2048 * 1024, ageMs: 30_000 });
});
