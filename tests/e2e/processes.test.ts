import { spawn } from 'node:child_process';
import path from 'node:path';

import { expect, test } from 'vitest';

import { createLeases } from '../../src/platform/leases.ts';
import { hostSystem } from '../fixtures/programs/start-program.ts';
import { createSandbox, type Sandbox } from '../support/holt-command.ts';
import { deadNumber, isAlive, until } from '../support/processes.ts';

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

test('ps shows what runs and whose it is; reap ends what nobody owns any more, and nothing else', async () => {
  await using sandbox = await createSandbox();
  expect((await sandbox.holt('ps')).stdout).toBe('No server processes.\n');
  expect((await sandbox.holt('reap')).stdout).toBe('Nothing was left behind.\n');
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
