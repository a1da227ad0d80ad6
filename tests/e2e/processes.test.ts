import { spawn } from 'node:child_process';
import path from 'node:path';

import { expect, test } from 'vitest';

import { createLeases } from '../../src/platform/processes/leases.ts';
import { processTree } from '../../src/platform/processes/process-tree.ts';
import { hostSystem } from '../fixtures/programs/start-program.ts';
import { createSandbox, type Sandbox } from '../support/holt-command.ts';
import { deadNumber, isAlive, known, until } from '../support/processes.ts';

/** A program that holt is said to have started; its owner is this process, or one that is gone. */
async function startOwned({ home }: Sandbox, server: string, owner: number): Promise<number> {
  const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  const pid = child.pid ?? 0;
  const leases = createLeases({
    holtHome: path.join(home, '.holt'),
    os: hostSystem,
    wallNow: () => Date.now() - 3_665_000,
    owner,
  });
  const id = server.length.toString(16).padStart(16, 'e');
  await leases.hold({ id, server, command: 'node echo.mjs', pid });
  return pid;
}

test('ps lists processes and their owners; reap ends only those whose owner has exited', async () => {
  await using sandbox = await createSandbox();
  expect((await sandbox.holt('ps')).stdout).toBe('No server processes.\n');
  expect((await sandbox.holt('reap')).stdout).toBe('No processes were left behind.\n');
  const [kept, left] = await Promise.all([
    startOwned(sandbox, 'kept', process.pid),
    startOwned(sandbox, 'left-over', await deadNumber()),
  ]);
  try {
    const { stdout } = await sandbox.holt('ps');
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['SERVER', 'PID', 'MEMORY', 'AGE', 'OWNER', 'COMMAND'],
      [
        'kept',
        String(kept),
        expect.stringMatching(/^\d+ MiB$/),
        '1 h 1 min',
        String(process.pid),
        'node echo.mjs',
      ],
      ['left-over', String(left), expect.stringMatching(/^\d+ MiB$/), '1 h 1 min', 'gone', 'node echo.mjs'],
      [''],
    ]);
    expect(await sandbox.json('ps')).toMatchObject({
      schema: 1,
      processes: [
        { server: 'kept', pid: kept, owner: { pid: process.pid, alive: true } },
        { server: 'left-over', pid: left, owner: { alive: false } },
      ],
    });
    const { stdout: ended } = await sandbox.holt('reap');
    expect(ended).toBe(`ended left-over (process ${left}, 1 in all)\n`);
    await until(() => !isAlive(left), 5000);
    expect(isAlive(kept)).toBe(true);
    expect(await sandbox.json('reap')).toEqual({ schema: 1, ended: [] });
  } finally {
    for (const pid of [kept, left].filter((number) => isAlive(number))) process.kill(-pid, 'SIGKILL');
  }
});

/** A process that a server of a dead owner is said to have started; the server itself is gone. */
async function startSurvivor({ home }: Sandbox): Promise<{ pid: number; server: number }> {
  const [survivor, server] = [1000, 1001].map((seconds) =>
    spawn('sleep', [String(seconds)], { detached: true, stdio: 'ignore' }),
  );
  const pid = known(survivor?.pid);
  const leader = known(server?.pid);
  const leases = createLeases({
    holtHome: path.join(home, '.holt'),
    os: hostSystem,
    wallNow: Date.now,
    owner: await deadNumber(),
  });
  const id = 'f'.repeat(16);
  await leases.hold({ id, server: 'notes', command: 'node notes.mjs', pid: leader });
  await leases.remember(id, [{ pid, start: (await processTree.describe(pid))?.start ?? '' }]);
  process.kill(leader, 'SIGKILL');
  await until(() => !isAlive(leader), 5000);
  return { pid, server: leader };
}

test('T123: ps and doctor report a process that outlived its server, and reap ends it', async () => {
  await using sandbox = await createSandbox();
  const { pid, server } = await startSurvivor(sandbox);
  try {
    const lines = (await sandbox.holt('ps')).stdout.split('\n');
    expect(lines.slice(1).map((line) => line.split(/ {2,}/))).toEqual([
      [
        'notes',
        String(pid),
        expect.stringMatching(/^\d+ MiB$/),
        expect.stringMatching(/^\d+ s$/),
        'gone',
        'sleep (survivor)',
      ],
      [''],
      ['1 process outlived the server that started it, or holt. To end it: holt reap'],
      [''],
    ]);
    expect(await sandbox.json('ps')).toMatchObject({
      processes: [{ kind: 'survivor', server: 'notes', pid, command: 'sleep', remedy: 'holt reap' }],
    });
    expect(await sandbox.json('doctor')).toMatchObject({
      ok: true,
      problems: [
        {
          severity: 'warning',
          code: 'process-survived',
          server: 'notes',
          message: expect.stringMatching(
            `^process ${pid} \\(sleep\\), started by the server "notes", still runs after it: `,
          ),
          remedy: 'End it with holt reap.',
        },
      ],
    });
    expect(isAlive(pid)).toBe(true);
    expect((await sandbox.holt('reap')).stdout).toBe(`ended notes (process ${server}, 1 in all)\n`);
    expect(isAlive(pid)).toBe(false);
    expect(await sandbox.json('doctor')).toMatchObject({ problems: [] });
  } finally {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  }
});
