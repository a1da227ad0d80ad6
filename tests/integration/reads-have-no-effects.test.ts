/** T01, T05: reading runs nothing, connects to nothing and writes nothing, over a project full of traps. */

import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { createSandbox, executable, type Sandbox } from '../support/holt-command.ts';

const hasStrace = spawnSync('strace', ['-V']).status === 0;
if (!hasStrace)
  console.warn('NOTICE: strace is not installed; the test that watches system calls is left out');

/** One entry in each of ten dialects whose command would leave a file behind. */
async function plantTraps(sandbox: Sandbox): Promise<void> {
  const trap = (name: string): string => path.join(sandbox.project, `pwned-${name}`);
  const touch = (name: string): object => ({
    command: 'touch',
    args: [trap(name)],
    env: { T: `!touch ${trap(`${name}-env`)}` },
  });
  const json = (key: string, name: string, value: object = touch(name)): string =>
    JSON.stringify({ [key]: { [name]: value } });
  const files: Readonly<Record<string, string>> = {
    './.mcp.json': json('mcpServers', 'claude', {
      ...touch('claude'),
      headersHelper: `touch ${trap('helper')}`,
    }),
    './.cursor/mcp.json': json('mcpServers', 'cursor'),
    './.vscode/mcp.json': json('servers', 'vscode', { ...touch('vscode'), envFile: '${command:x}' }),
    './.codex/config.toml': `[mcp_servers.codex]\ncommand = "touch"\nargs = ["${trap('codex')}"]\n`,
    './.gemini/settings.json': json('mcpServers', 'gemini'),
    './opencode.json': json('mcp', 'opencode', {
      type: 'local',
      command: ['touch', trap('opencode')],
      environment: { X: '{file:/etc/hostname}' },
    }),
    './.omp/mcp.json': json('mcpServers', 'omp'),
    './crush.json': json('mcp', 'crush', {
      type: 'http',
      url: 'https://127.0.0.1:9/',
      headers: { A: `$(touch ${trap('crush')})` },
    }),
    './.crushrc': `touch ${trap('crushrc')}`,
    './.continue/mcpServers/a.yaml': `name: a\nmcpServers:\n  - name: cont\n    command: touch\n    args: ["${trap('continue')}"]\n`,
    './.holt/mcp.json': json('mcpServers', 'holt', {
      url: 'http://127.0.0.1:9/mcp',
      headers: { A: `!touch ${trap('holt')}` },
    }),
    './.pi/mcp.json': json('mcpServers', 'pi', {
      url: 'http://127.0.0.1:9/',
      requestHeadersCommand: `touch ${trap('pi')}`,
    }),
    './.env': `HOLT_HOME=${sandbox.project}\nCODEX_HOME=${sandbox.project}\n`,
    '~/.codex/config.toml': '[mcp_servers.user]\ncommand = "true"\n',
    '~/.config/goose/config.yaml':
      'extensions:\n  g: { enabled: true, type: stdio, cmd: touch, args: [x] }\n',
  };
  await Promise.all(Object.entries(files).map(([name, content]) => sandbox.write(name, content)));
}

const commands: readonly (readonly string[])[] = [
  [],
  ['list'],
  ['list', '--all', '--json'],
  ['get', 'cursor'],
  ['doctor'],
  ['doctor', '--json'],
  ['trust', '--list', '--json'],
  ['trust'],
  ['config', 'get'],
  ['completion', 'words', '--', 'get', ''],
];

describe('reading has no effects', () => {
  test('T01: no command leaves a trace of a project’s commands, with CI set as well', async () => {
    for (const env of [{}, { CI: 'true' }]) {
      await using sandbox = await createSandbox(env);
      await plantTraps(sandbox);
      await Promise.all(commands.map((words) => sandbox.holt(...words)));
      const left = (await fs.readdir(sandbox.project)).filter((name) => name.startsWith('pwned'));
      expect(left).toEqual([]);
      const { servers } = await sandbox.json('list');
      const waiting = (servers as readonly { trusted: boolean }[]).filter(({ trusted }) => !trusted);
      expect(waiting.length).toBeGreaterThanOrEqual(10);
    }
  });

  test.runIf(hasStrace)(
    'T05: no execve beyond the first, no connect, nothing written outside holt’s cache',
    async () => {
      await using sandbox = await createSandbox();
      await plantTraps(sandbox);
      for (const words of [['list'], ['doctor', '--json'], ['trust', '--list']]) {
        const calls = traceCalls(sandbox, words);
        expect(calls.filter((line) => /\bexecve(at)?\(/.test(line)).length).toBe(1);
        expect(
          calls.filter((line) => /\b(connect|bind|sendto)\(/.test(line) && !line.includes('AF_UNIX')),
        ).toEqual([]);
        expect(calls.filter((line) => isWrite(line, path.join(sandbox.home, '.holt')))).toEqual([]);
      }
    },
  );
});

function traceCalls(sandbox: Sandbox, words: readonly string[]): readonly string[] {
  const log = path.join(sandbox.home, '..', 'trace.log');
  const watched =
    'execve,execveat,connect,bind,sendto,open,openat,creat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,truncate,ftruncate,chmod,fchmodat,mknod';
  execFileSync(
    'strace',
    ['-f', '-qq', '-e', `trace=${watched}`, '-o', log, process.execPath, executable, ...words],
    {
      cwd: sandbox.project,
      env: { PATH: process.env['PATH'] ?? '', HOME: sandbox.home },
      stdio: ['ignore', 'ignore', 'ignore'],
    },
  );
  return execFileSync('cat', [log], { encoding: 'utf8', maxBuffer: 1 << 28 }).split('\n');
}

/** An open for writing or a change of names, outside the cache, the folder that it is in, and the kernel's own files. */
function isWrite(line: string, holtHome: string): boolean {
  const own = [`"${holtHome}"`, `"${holtHome}/.gitignore"`, `"${holtHome}/cache`];
  if (/"\/(dev|proc|sys)\//.test(line) || own.some((place) => line.includes(place))) return false;
  if (/\bopen(at)?\(/.test(line)) return /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(line);
  return /\b(creat|rename\w*|unlink\w*|mkdir\w*|rmdir|link\w*|symlink\w*|truncate|ftruncate|chmod|fchmodat|mknod)\(/.test(
    line,
  );
}
