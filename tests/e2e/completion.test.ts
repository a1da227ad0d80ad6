import { execFile, spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { createSandbox, executable } from '../support/holt-command.ts';

test('words are completed from what there is, and a dangerous name is not offered', async () => {
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

test('an unknown shell is refused with the known ones', async () => {
  await using sandbox = await createSandbox();
  expect(await sandbox.holt('completion', 'tcsh')).toMatchObject({
    code: 2,
    stderr: 'There are no completions for "tcsh"\nWrite holt completion bash|zsh|fish.\n',
  });
});
