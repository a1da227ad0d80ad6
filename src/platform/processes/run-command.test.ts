import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { runCommand, type CommandLimits, type CommandOutcome } from './run-command.ts';

let folder: string;
let limits: CommandLimits;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'holt-run-'));
  limits = {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', SEEN: 'yes' },
    timeoutMs: 20_000,
    maxBytes: 65_536,
  };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const shell = (line: string, more: Partial<CommandLimits> = {}): Promise<CommandOutcome> =>
  runCommand({ kind: 'shell', line }, { ...limits, ...more });
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
/** Gone, or only waiting to be buried. */
const isGone = async (pid: number): Promise<boolean> =>
  !isAlive(pid) || /^State:\s+Z/m.test(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State: Z'));
const pidIn = async (name: string): Promise<number> =>
  Number(await readFile(path.join(folder, name), 'utf8'));

describe.skipIf(process.platform === 'win32')('a command', () => {
  test('gives what it prints, with the environment and folder it was given and no other', async () => {
    expect(await shell('pwd; echo $SEEN$HOME; echo error >&2')).toEqual({
      kind: 'printed',
      text: `${folder}\nyes\n`,
    });
  });

  test('that is a program gets its arguments as they are', async () => {
    const command = { kind: 'program', program: 'printf', args: ['%s|', '$SEEN', 'a b', ';'] } as const;
    expect(await runCommand(command, limits)).toEqual({ kind: 'printed', text: '$SEEN|a b|;|' });
  });

  test('T17: reads nothing: its input is closed', async () => {
    expect(await shell('cat')).toEqual({ kind: 'printed', text: '' });
  });

  test('T17: has no terminal to ask at', async () => {
    expect(await shell('(exec 3</dev/tty) 2>/dev/null && echo open || echo none')).toEqual({
      kind: 'printed',
      text: 'none\n',
    });
  });

  test.each([
    ['exit 3', 'it ended with exit code 3'],
    ['kill -9 $$', 'it was ended by SIGKILL'],
    ['yes', 'it printed more than 64 KiB'],
    ['gone-program', 'it ended with exit code 127'],
  ])('T17: %s fails: %s', async (line, reason) => {
    expect(await shell(line)).toEqual({ kind: 'failed', reason });
  });

  test('a program that is not there fails, and so does a folder', async () => {
    const gone = { kind: 'program', program: '/gone', args: [] } as const;
    expect(await runCommand(gone, limits)).toEqual({ kind: 'failed', reason: 'the program was not found' });
    expect(await runCommand({ ...gone, program: 'a\0b' }, limits)).toMatchObject({ kind: 'failed' });
  });

  test('T17: that takes too long is ended with all it started', async () => {
    const started = performance.now();
    const outcome = await shell('sleep 600 & echo $! > child; echo $$ > self; sleep 600', { timeoutMs: 500 });
    expect(outcome).toEqual({ kind: 'failed', reason: 'it took longer than 0.5 s' });
    expect(performance.now() - started).toBeLessThan(10_000);
    await expect
      .poll(async () => [await isGone(await pidIn('child')), await isGone(await pidIn('self'))])
      .toEqual([true, true]);
  });

  test('T17: that leaves something running does not wait for it, and leaves nothing', async () => {
    expect(await shell('sleep 600 & echo $! > left; echo value')).toEqual({
      kind: 'printed',
      text: 'value\n',
    });
    await expect.poll(async () => isGone(await pidIn('left'))).toBe(true);
  });

  test('T17: whose child fled and holds the pipe ends when time is up', async () => {
    const outcome = await shell(
      'setsid sh -c "echo \\$\\$ > fled; exec sleep 600" & while [ ! -s fled ]; do :; done; echo value',
      { timeoutMs: 3000 },
    );
    process.kill(await pidIn('fled'), 'SIGKILL');
    expect(outcome).toEqual({ kind: 'failed', reason: 'it took longer than 3 s' });
  });
});
