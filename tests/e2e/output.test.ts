/** What comes out of the command, for people and for programs, and what becomes of it when nobody reads on. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';

import { expect, test } from 'vitest';

import { createSandbox, executable, type Sandbox } from '../support/holt-command.ts';
import { serverFolder } from '../support/stdio-fixture.ts';

/** A server with one line in its log. */
async function withLog(sandbox: Sandbox): Promise<string> {
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { fs: { command: 'x' } } }));
  const { file } = await sandbox.json<{ readonly file: string }>('logs', 'fs');
  await fs.mkdir(sandbox.place('~/.holt/logs'), { recursive: true });
  await fs.writeFile(file, 'one\n');
  return file;
}

function start(sandbox: Sandbox, [program = '', ...args]: readonly string[]): ReturnType<typeof spawn> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: sandbox.home };
  return spawn(program, args, {
    cwd: sandbox.project,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
}

/** Its exit code; what does not end by itself is ended with all that it started. */
async function ended(child: ReturnType<typeof spawn>): Promise<unknown> {
  try {
    return (await once(child, 'close', { signal: AbortSignal.timeout(4000) }))[0];
  } finally {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }
}

test('logs -f ends at the first line after the reader has gone', async () => {
  await using sandbox = await createSandbox();
  const file = await withLog(sandbox);
  const following = start(sandbox, [process.execPath, executable, 'logs', 'fs', '-f']);
  await once(following.stdout ?? following, 'data');
  following.stdout?.destroy();
  await fs.appendFile(file, 'two\n');
  expect(await ended(following)).toBe(0);
});

test('logs reports when there is nothing to show', async () => {
  await using sandbox = await createSandbox();
  await fs.writeFile(await withLog(sandbox), '');
  expect((await sandbox.holt('logs', 'fs')).stdout).toBe('"fs" has written nothing to stderr.\n');
});

test('the version is one line, with --json one object', async () => {
  await using sandbox = await createSandbox();
  const [plain, asJson] = await Promise.all([sandbox.holt('-V'), sandbox.holt('--version', '--json')]);
  const version = plain.stdout.trim();
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
  expect(asJson.stdout).toBe(`{"schema":1,"version":"${version}"}\n`);
});

test('the remedy of a failure is in the text and in the JSON', async () => {
  await using sandbox = await createSandbox();
  const off = { command: 'x', enabled: false };
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { off } }));
  const [called, undone, plain] = await Promise.all([
    sandbox.json('call', 'off.x'),
    sandbox.json('undo'),
    sandbox.holt('undo'),
  ]);
  const enable = 'Run holt enable off first.';
  const isOff = `Server "off" is disabled. ${enable}`;
  expect(called['error']).toEqual({ code: 'server-disabled', message: isOff, remedy: enable });
  const [message, remedy] = ['There is nothing to undo', 'holt undoes only its own changes.'];
  expect([undone['error'], plain.stderr]).toEqual([
    { code: 'undo-empty', message, remedy },
    `${message}\n${remedy}\n`,
  ]);
  expect(await sandbox.json('status', 'off')).toMatchObject({
    servers: { off: { status: 'disabled', remedy: enable } },
  });
});

test('a missing login that an entry names is reported on stderr', async () => {
  await using sandbox = await createSandbox();
  const auth = { type: 'oauth', credentialId: 'mcp:gone' };
  const prog = { command: process.execPath, args: [`${serverFolder}/echo.mjs`], auth };
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { prog } }));
  const { stdout, stderr } = await sandbox.holt('status', 'prog', '--json');
  expect([JSON.parse(stdout), stderr]).toEqual([
    expect.objectContaining({
      servers: { prog: expect.objectContaining({ status: 'connected' }) as object },
    }),
    '"prog" names the login "mcp:gone", which is not stored; it is started without. holt auth list shows those there are.\n',
  ]);
});

test('an expired login that an entry names is reported on stderr', async () => {
  await using sandbox = await createSandbox();
  const auth = { type: 'oauth', credentialId: 'mcp:shop' };
  const prog = { command: process.execPath, args: [`${serverFolder}/echo.mjs`], auth };
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { prog } }));
  const login = { serverUrl: 'https://shop.test/mcp', tokens: { access: 'old', expiresAt: 1 } };
  await sandbox.write(
    '~/.holt/credentials.json',
    JSON.stringify({ version: 1, credentials: { 'mcp:shop': login } }),
  );
  expect((await sandbox.holt('status', 'prog', '--json')).stderr).toContain(
    '"prog" names the login "mcp:shop", which has expired. Log in again with holt auth shop.\n',
  );
});

test('logging in does not warn that the login is missing', async () => {
  await using sandbox = await createSandbox();
  const web = { url: 'http://127.0.0.1:9/mcp', auth: { type: 'oauth', credentialId: 'mcp:gone' } };
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { web } }));
  const { code, stderr } = await sandbox.holt('auth', 'web');
  expect([code, stderr]).toEqual([
    3,
    'OAuth authentication failed: the connection to 127.0.0.1:9 broke (closed)\nTry again with holt auth web.\n',
  ]);
});

test('reauth reports that the file’s header takes precedence, and neither starts nor removes a login', async () => {
  await using sandbox = await createSandbox();
  const web = { url: 'http://127.0.0.1:9/mcp', headers: { Authorization: 'Bearer of-its-own' } };
  const file = await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { web } }));
  const said = [
    `Logging in to "web" would change nothing: the header "Authorization" that is configured in ${file} is sent in place of any login`,
    `Take the header out of ${file} to log in, or correct it there.`,
    '',
  ].join('\n');
  const record = { serverUrl: web.url, issuer: 'https://i.test', tokens: { access: 'kept' } };
  const kept = JSON.stringify({ version: 1, credentials: { 'mcp:web': record } });
  const store = await sandbox.write('~/.holt/credentials.json', kept);
  await fs.chmod(store, 0o600);
  await fs.chmod(sandbox.place('~/.holt'), 0o700);
  const { code, stderr } = await sandbox.holt('reauth', 'web');
  expect([code, stderr]).toEqual([2, said]);
  expect(await fs.readFile(store, 'utf8')).toBe(kept);
});

test.each([
  [['undo', 'x'], 'holt undo takes no words Write holt undo.'],
  [['doctor', 'fs'], 'holt doctor takes no words Write holt doctor [--fix].'],
  [['ps', 'x'], 'holt ps takes no words Write holt ps.'],
  [['reap', '--', 'x'], 'holt reap takes no words Write holt reap.'],
  [['logs', 'a', 'b'], 'holt logs takes one word Write holt logs NAME [-f].'],
  [['prompts', 'a', 'b'], 'holt prompts takes one word Write holt prompts [SERVER].'],
])('%j is refused: no word is passed over', async (words, says) => {
  await using sandbox = await createSandbox();
  const { code, stderr } = await sandbox.holt(...words);
  expect([code, stderr.split(/\s+/).join(' ').trim()]).toEqual([2, says]);
});
