import { execFile, spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { createSandbox, executable } from '../support/holt-command.ts';

test('completes known names, and does not offer a dangerous one', async () => {
  await using sandbox = await createSandbox();
  const servers = {
    github: { command: 'x' },
    'git$(touch pwned)': { command: 'y' },
    gitlab: { command: 'z' },
  };
  await sandbox.write('~/.cursor/mcp.json', JSON.stringify({ mcpServers: servers }));
  const words = async (...typed: readonly string[]): Promise<readonly string[]> =>
    (await sandbox.holt('completion', 'words', '--', ...typed)).stdout
      .split('\n')
      .filter((line) => line !== '');
  expect(await words('get', 'git')).toEqual(['github', 'gitlab']);
  expect(await words('mcp', 'get', 'gith')).toEqual(['github']);
  expect(await words('do')).toEqual(['doctor']);
  expect(await words('list', '--agent', 'claude')).toEqual(['claude-code', 'claude-desktop']);
  expect(await words('list', '--a')).toEqual(['--agent', '--all']);
});

const hasBash = spawnSync('bash', ['--version']).status === 0;

test.runIf(hasBash)('the script works in bash and runs nothing by completing', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write(
    '~/.cursor/mcp.json',
    JSON.stringify({ mcpServers: { github: { command: 'x' }, '$(touch pwned)': { command: 'y' } } }),
  );
  const bin = path.join(sandbox.home, 'bin');
  await fs.mkdir(bin);
  await fs.writeFile(path.join(bin, 'holt'), `#!/bin/sh\nexec ${process.execPath} ${executable} "$@"\n`, {
    mode: 0o755,
  });
  const script = `eval "$(holt completion bash)"; COMP_WORDS=(holt get g); COMP_CWORD=2; _holt; printf '%s\\n' "\${COMPREPLY[@]}"; COMP_WORDS=(holt get ''); _holt; ls`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    cwd: sandbox.project,
    env: { HOME: sandbox.home, PATH: `${bin}:${process.env['PATH'] ?? ''}` },
  });
  expect(stdout.trim()).toBe('github');
});

test('tools and their arguments are completed from the cache, and nothing is started for it', async () => {
  await using sandbox = await createSandbox();
  const started = path.join(sandbox.home, 'started');
  const server = path.join(import.meta.dirname, '..', 'fixtures', 'servers', 'returns-image.mjs');
  const script = `require('node:fs').appendFileSync(process.argv[1], 'x'); import(process.argv[2]);`;
  const art = { command: process.execPath, args: ['-e', script, started, server] };
  await sandbox.write(
    '~/.holt/mcp.json',
    JSON.stringify({ mcpServers: { art, off: { ...art, enabled: false } } }),
  );
  const words = async (...typed: readonly string[]): Promise<readonly string[]> =>
    (await sandbox.holt('completion', 'words', '--', ...typed)).stdout
      .split('\n')
      .filter((line) => line !== '');
  expect(await words('call', 'art.d')).toEqual([]);
  expect((await sandbox.holt('tools', 'art')).code).toBe(0);
  const starts = (await fs.readFile(started, 'utf8')).length;

  expect(await words('call', 'art.d')).toEqual(['art.draw']);
  expect(await words('call', 'mcp__art__d')).toEqual(['mcp__art__draw']);
  expect(await words('policy', 'explain', 'art.d')).toEqual(['art.draw']);
  expect(await words('art.d')).toEqual(['art.draw']);
  expect(await words('call', 'art.draw', '')).toEqual(['colour=', 'size=']);
  expect(await words('art.draw', 'colour=red', '')).toEqual(['size=']);
  // As bash and PowerShell pass them.
  expect(await words('call', 'art.draw', 'colour', '=', 'red', 's')).toEqual(['size=']);
  expect(await words('call', 'art.draw', '""')).toEqual(['colour=', 'size=']);
  expect(await words('call', 'off.')).toEqual([]);
  expect((await fs.readFile(started, 'utf8')).length).toBe(starts);
});

test('PowerShell gets a script that asks for the words', async () => {
  await using sandbox = await createSandbox();
  const { code, stdout } = await sandbox.holt('completion', 'powershell');
  expect(code).toBe(0);
  expect(stdout).toContain('Register-ArgumentCompleter -Native -CommandName holt');
  expect(stdout).toContain('holt completion words -- @typed');
});

test('an unknown shell is refused with the known ones', async () => {
  await using sandbox = await createSandbox();
  expect(await sandbox.holt('completion', 'tcsh')).toMatchObject({
    code: 2,
    stderr: 'No completions for "tcsh"\nWrite holt completion bash|zsh|fish|powershell.\n',
  });
});
