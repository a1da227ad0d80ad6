import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

import { expect, test } from 'vitest';

import { createSandbox, executable } from '../support/holt-command.ts';

const otterProject = { mcp: { fs: { type: 'local', command: ['fs-server', '--root', '/tmp'] } } };
const otterUser = { mcp: { weather: { type: 'remote', url: 'https://example.com/mcp' } } };

test('list prints the table, plain', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write('./.opencode/config.json', JSON.stringify(otterProject));
  await sandbox.write('~/.opencode/config.json', JSON.stringify(otterUser));
  expect(await sandbox.holt('list')).toEqual({
    code: 0,
    stderr: '',
    stdout: [
      'NAME     TRANSPORT  CONNECT                  SOURCE',
      'fs       stdio      fs-server --root /tmp    project (untrusted)',
      'weather  http       https://example.com/mcp  user',
      '',
    ].join('\n'),
  });
});

test('list --json has exactly the promised shape', async () => {
  await using sandbox = await createSandbox();
  const user = await sandbox.write(
    '~/.cursor/mcp.json',
    '{\n  "mcpServers": {\n    "gh": { "command": "gh-mcp", "env": { "TOKEN": "x" } }\n  }\n}',
  );
  const same = await sandbox.write(
    '~/.codeium/windsurf/mcp_config.json',
    '{"mcpServers":{"gh":{"command":"gh-mcp","env":{"TOKEN":"x"}}}}',
  );
  const other = await sandbox.write(
    './.cursor/mcp.json',
    '{"mcpServers":{"gh":{"command":"other"},"bad":{}}}',
  );
  expect(await sandbox.json('list')).toEqual({
    schema: 1,
    servers: [
      {
        name: 'gh',
        transport: 'stdio',
        connect: 'gh-mcp',
        source: 'user+project',
        agent: 'cursor',
        scope: 'user',
        file: user,
        line: 3,
        enabled: true,
        trusted: true,
        alsoIn: [{ agent: 'windsurf', scope: 'user', file: same, line: 1, enabled: true }],
        shadows: [{ agent: 'cursor', scope: 'project', file: other, line: 1, enabled: true }],
      },
    ],
    shadowed: [
      {
        ref: 'gh@cursor:project',
        name: 'gh',
        transport: 'stdio',
        connect: 'other',
        source: 'project',
        agent: 'cursor',
        scope: 'project',
        file: other,
        line: 1,
        enabled: true,
        trusted: false,
        alsoIn: [],
        shadows: [],
      },
    ],
    problems: [
      {
        severity: 'error',
        code: 'entry-invalid',
        file: other,
        line: 1,
        column: 47,
        server: 'bad',
        message: 'server "bad" cannot be used: it needs "command" or "url"',
      },
    ],
  });
});

test('on an empty machine there is nothing, and the example only when asked for', async () => {
  await using sandbox = await createSandbox();
  expect(await sandbox.json('list')).toEqual({ schema: 1, servers: [], shadowed: [], problems: [] });
  const { servers } = await sandbox.json('list', '--example');
  expect(servers).toMatchObject([{ name: 'example', transport: 'stdio', source: 'runtime', trusted: true }]);
  const overview = await sandbox.holt();
  expect(overview.stdout).toContain('No MCP servers are configured on this machine.');
  const first = await sandbox.holt('--example');
  expect(first.stdout).toContain('example');
});

test('the example server has everything that it lists, and rejects anything else', async () => {
  await using sandbox = await createSandbox();
  const read = await sandbox.holt('read', 'example', 'holt://example/otter', '--example');
  expect(read).toMatchObject({ code: 0, stdout: expect.stringContaining('otter') as string });
  const missing = await sandbox.holt('read', 'example', 'nope://x', '--example');
  expect(missing).toMatchObject({ code: 1, stdout: '' });
  expect(missing.stderr).toContain('no such resource: nope://x');
  const unknown = await sandbox.holt('prompt', 'example', 'nope', '--example');
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toContain('nope');
});

test('control characters of foreign text are made visible', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write(
    '~/.cursor/mcp.json',
    JSON.stringify({ mcpServers: { ab: { command: 'x\u001b[2J', args: ['a\u202eb'] } } }),
  );
  const { stdout } = await sandbox.holt('list');
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(stdout).toContain('\\x1b[2J');
});

test('habits of other command lines work', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write('~/.cursor/mcp.json', '{"mcpServers":{"a":{"command":"x"}}}');
  const { stdout } = await sandbox.holt('list');
  expect((await sandbox.holt('ls')).stdout).toBe(stdout);
  expect((await sandbox.holt('mcp', 'list')).stdout).toBe(stdout);
  expect((await sandbox.holt('show', 'a')).code).toBe(0);
});

test('an unknown name is refused with the nearest known one', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write('~/.cursor/mcp.json', '{"mcpServers":{"github":{"command":"x"}}}');
  expect(await sandbox.holt('lsit')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'Unknown command "lsit"\nDid you mean "holt list"?\n',
  });
  expect(await sandbox.holt('list', '--scoep', 'user')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'Unknown option --scoep\nDid you mean --scope?\n',
  });
  expect(await sandbox.holt('get', 'githbu')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'Unknown server "githbu"\nDid you mean "github"?\n',
  });
  expect(await sandbox.json('get', 'githbu')).toEqual({
    schema: 1,
    error: {
      code: 'server-not-found',
      message: 'Unknown server "githbu"',
      remedy: 'Did you mean "github"?',
    },
  });
});

test('a name is refused instead of listing everything', async () => {
  await using sandbox = await createSandbox();
  const { code, stderr } = await sandbox.holt('list', 'github');
  expect([code, stderr]).toEqual([2, 'holt list takes no name\nholt get github shows one server.\n']);
});

test('a file in place of a folder is refused as well', async () => {
  await using sandbox = await createSandbox();
  const { code, stderr } = await sandbox.holt('list', '--cwd', process.execPath);
  expect([code, stderr]).toEqual([2, `${process.execPath} is not an existing folder\nCheck --cwd.\n`]);
});

test.runIf(existsSync('/dev/full'))('a failed write is not a success', async () => {
  await using sandbox = await createSandbox();
  const line = '"$0" "$1" list --json > /dev/full';
  const { status, stderr } = spawnSync('/bin/sh', ['-c', line, process.execPath, executable], {
    env: { PATH: process.env['PATH'], HOME: sandbox.home },
    cwd: sandbox.project,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([1, 'The output could not be written (ENOSPC).\n']);
});

test('a folder that is not there is refused rather than taken for an empty one', async () => {
  await using sandbox = await createSandbox();
  expect(await sandbox.holt('list', '--cwd', '/no/such/folder')).toEqual({
    code: 2,
    stdout: '',
    stderr: '/no/such/folder is not an existing folder\nCheck --cwd.\n',
  });
});
