import fs from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { createSandbox, packageRoot } from '../support/holt-command.ts';
import { runInTerminal } from '../support/terminal.ts';

const fixture = (name: string): { readonly command: string; readonly args: readonly string[] } => ({
  command: process.execPath,
  args: [path.join(packageRoot, 'tests', 'fixtures', 'servers', `${name}.mjs`)],
});
const home = (servers: Readonly<Record<string, object>>): string => JSON.stringify({ mcpServers: servers });

interface StatusDocument {
  readonly servers: Readonly<
    Record<
      string,
      { readonly status: string; readonly error?: string; readonly remedy?: string; readonly tools?: number }
    >
  >;
}

/** Processes whose environment carries the home of this test; zombies do not count. */
async function leftOver(mark: string): Promise<readonly string[]> {
  const pids = (await fs.readdir('/proc')).filter(
    (name) => /^\d+$/.test(name) && Number(name) !== process.pid,
  );
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [environment, state] = await Promise.all([
        fs.readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''),
        fs.readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''),
      ]);
      return environment.includes(`HOME=${mark}`) && !/\) Z /.test(state) ? [pid] : [];
    }),
  );
  return found.flat();
}

test('status reports each server separately, in both eras, and leaves nothing running', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write(
    '~/.holt/mcp.json',
    home({
      good: fixture('echo'),
      old: fixture('legacy-only'),
      dead: fixture('exits-immediately'),
      missing: { command: 'no-such-program' },
    }),
  );
  const { servers } = await sandbox.json<StatusDocument>('status');
  expect(Object.fromEntries(Object.entries(servers).map(([name, { status }]) => [name, status]))).toEqual({
    dead: 'failed',
    good: 'connected',
    missing: 'failed',
    old: 'connected',
  });
  expect(servers['good']).toMatchObject({ era: 'stateless', protocol: '2026-07-28' });
  expect(servers['old']).toMatchObject({ era: 'stateful' });
  expect(servers['missing']?.error).toContain('command not found: no-such-program');
  expect(servers['dead']?.error).toMatch(/^Failed to connect to "dead": /);
  expect(await leftOver(sandbox.home)).toEqual([]);
});

test('without names it asks nothing, and lists unapproved servers with the command that approves them', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write('~/.holt/mcp.json', home({ good: fixture('echo') }));
  await sandbox.write('./.mcp.json', home({ waits: fixture('echo') }));
  const run = runInTerminal(sandbox, ['status']);
  // A question would wait for its answer, and the command would not end.
  expect(await run.exited).toBe(0);
  expect(run.shown()).toMatch(/waits {2}\S*untrusted/);
  expect(run.shown()).toContain('Look at it and approve it with holt trust waits.');
  const named = runInTerminal(sandbox, ['status', 'waits']);
  await named.waitFor('[y/N/d]: ');
  named.type('\r');
  expect(await named.exited).toBe(4);
});

test('-v shows how long each phase took', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write('~/.holt/mcp.json', home({ good: fixture('echo') }));
  const { stdout } = await sandbox.holt('status', '-v');
  expect(stdout).toMatch(/^good {2}connected .* \d+ ms\n {2}connecting \d+ ms, .*listing_tools \d+ ms/);
});

test('exit codes: 0 for all servers, the highest one for named servers', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write(
    '~/.holt/mcp.json',
    home({
      good: fixture('echo'),
      missing: { command: 'no-such-program' },
      off: { ...fixture('echo'), enabled: false },
    }),
  );
  await sandbox.write('./.mcp.json', home({ project: fixture('echo') }));
  const code = async (...names: readonly string[]): Promise<number> =>
    (await sandbox.holt('status', ...names)).code;
  expect(await code()).toBe(0);
  expect(await code('good')).toBe(0);
  expect(await code('good', 'missing')).toBe(6);
  expect(await code('project')).toBe(4);
  expect(await code('off')).toBe(1);
  expect((await sandbox.holt('status', 'off')).stdout).toContain(
    'Server "off" is disabled. Run holt enable off first.',
  );
  expect(await code('nobody')).toBe(2);
});

test('a limit that passes names itself and exits with 7', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write(
    '~/.holt/mcp.json',
    home({ mute: { ...fixture('never-responds'), phase_timeouts: { connecting: 0.3, initializing: 0.3 } } }),
  );
  const run = await sandbox.holt('test', 'mute');
  expect(run.code).toBe(7);
  expect(run.stdout).toMatch(
    /Failed to connect to "mute": no answer in phase (connecting|initializing) after 0\.3 s\. Raise phase_timeouts\./,
  );
});

test('stderr of a server is stored and shown, with control characters escaped', async () => {
  await using sandbox = await createSandbox();
  const script = `process.stderr.write('hello \\x1b[31mred\\n'); process.stdin.resume()`;
  await sandbox.write(
    '~/.holt/mcp.json',
    home({
      chatty: { command: process.execPath, args: ['-e', script], phase_timeouts: { connecting: 0.5 } },
    }),
  );
  await sandbox.holt('status', 'chatty');
  expect((await sandbox.holt('logs', 'chatty')).stdout).toBe('hello \\x1b[31mred\n');
});

test('Ctrl-C ends the command and every child with 130', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write('~/.holt/mcp.json', home({ mute: fixture('never-responds') }));
  await sandbox.holt('trust', '--folder');
  const run = runInTerminal(sandbox, ['status', 'mute']);
  while ((await leftOver(sandbox.home)).length < 2) await new Promise((resolve) => setImmediate(resolve));
  run.type('\u0003');
  expect(await run.exited).toBe(130);
  expect(await leftOver(sandbox.home)).toEqual([]);
});
