/** What an administrator forbids, by a real file in its real place: in a mount namespace of its own, so that nobody else has it. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { createSandbox, executable, packageRoot } from '../support/holt-command.ts';

const run = promisify(execFile);
const server = (name: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [path.join(packageRoot, 'tests', 'fixtures', 'servers', `${name}.mjs`), ...args],
});

/** Every server's status as `holt status --json` tells it, under this managed file. */
async function statusUnder(managed: string, servers: Readonly<Record<string, object>>): Promise<unknown> {
  await using sandbox = await createSandbox();
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: servers }));
  const etc = path.dirname(path.dirname(await sandbox.write('~/etc/holt/managed.json', managed)));
  await copyFile('/etc/passwd', path.join(etc, 'passwd'));
  const alone = ['--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];
  const { stdout } = await run(
    'unshare',
    [
      ...alone,
      'sh',
      '-c',
      'mount --bind "$0" /etc && exec "$@"',
      etc,
      process.execPath,
      executable,
      'status',
      '--json',
    ],
    { cwd: sandbox.project, env: { PATH: process.env['PATH'], HOME: sandbox.home } },
  );
  const document = JSON.parse(stdout) as { servers: Record<string, { status: string; error?: string }> }; // as the reference has it
  return Object.fromEntries(
    Object.entries(document.servers).map(([name, { status, error }]) => [name, [status, error]]),
  );
}

const forbidden: unknown = expect.stringMatching(
  /^Server "\w+" of .+mcp\.json:1 is forbidden by an administrator$/,
);

test('a server denied by name or by command is blocked and never started; the others connect', async () => {
  const deniedServers = [{ name: 'Bad' }, { command: ['sleep'] }];
  await using sandbox = await createSandbox();
  const started = sandbox.place('started.txt');
  const servers = {
    bad: server('exits-immediately', '0', started),
    idles: { command: 'sleep', args: ['1000'] },
    good: server('echo'),
  };

  expect([await statusUnder(JSON.stringify({ deniedServers }), servers), existsSync(started)]).toEqual([
    {
      bad: ['blocked', forbidden],
      idles: ['blocked', forbidden],
      good: ['connected', undefined],
    },
    false,
  ]);
});

test('a file that cannot be understood forbids everything', async () => {
  expect(await statusUnder('{"deniedServers": [', { good: server('echo') })).toEqual({
    good: ['blocked', forbidden],
  });
});
