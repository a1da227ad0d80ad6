import fs from 'node:fs/promises';

import { expect, test } from 'vitest';

import { createSandbox } from '../support/holt-command.ts';

interface Doctored {
  readonly ok: boolean;
  readonly problems: readonly {
    readonly code: string;
    readonly file: string;
    readonly line: number;
    readonly remedy?: string;
    readonly text?: string;
  }[];
  readonly sources: readonly {
    readonly agent: string;
    readonly file: string;
    readonly exists: boolean;
    readonly servers: number;
  }[];
  readonly fixes: readonly { readonly file: string }[];
}

test('doctor lists every file, its problems and their remedies', async () => {
  await using sandbox = await createSandbox({ SET: 'x' });
  await sandbox.write(
    '~/.cursor/mcp.json',
    '{"mcpServers":{"a":{"command":"no-such-program-here","env":{"A":"${env:UNSET_ONE}","B":"${env:SET}"}}}}',
  );
  const broken = await sandbox.write(
    '~/.kiro/settings/mcp.json',
    '{"mcpServers":{\n"api_key": "sekret-value-1234" x\n}}',
  );
  await sandbox.write('./.mcp.json', '{"mcpServers":{"p":{"command":"node"}}}');
  const secret = await sandbox.write(
    '~/.gemini/settings.json',
    '{"mcpServers":{"g":{"command":"node","env":{"API_TOKEN":"abcdef123456789"}}}}',
  );
  await fs.chmod(secret, 0o644);
  const run = await sandbox.holt('doctor', '--json');
  const found = JSON.parse(run.stdout) as Doctored;
  expect({ code: run.code, ok: found.ok }).toEqual({ code: 1, ok: false });
  expect(found.problems.map(({ code }) => code).toSorted()).toEqual([
    'file-mode',
    'file-syntax',
    'folder-untrusted',
    'placeholder-unset',
    'program-missing',
    'secret-literal',
    'trust-missing',
  ]);
  expect(found.problems.find(({ code }) => code === 'file-syntax')).toMatchObject({
    file: broken,
    line: 2,
    text: '"api_key": "***" x',
  });
  expect(found.problems.every(({ remedy }) => remedy !== undefined)).toBe(true);
  const unset = found.problems.filter(({ code }) => code === 'placeholder-unset');
  const listed = await sandbox.json<Pick<Doctored, 'problems'>>('list');
  expect(listed.problems.filter(({ code }) => code === 'placeholder-unset')).toEqual(unset);
  expect(found.sources.filter(({ exists }) => exists).map(({ agent, servers }) => [agent, servers])).toEqual([
    ['gemini', 1],
    ['cursor', 1],
    ['kiro', 0],
    ['mcp-json', 1],
  ]);
  expect(run.stdout + (await sandbox.holt('doctor')).stdout).not.toMatch(/sekret-value|abcdef123456789/);
});

test('doctor --fix makes a file with secrets private, and prints how to undo that', async () => {
  await using sandbox = await createSandbox();
  const file = await sandbox.write(
    '~/.cursor/mcp.json',
    '{"mcpServers":{"g":{"command":"node","env":{"API_TOKEN":"abcdef123456789"}}}}',
  );
  await fs.chmod(file, 0o644);
  const { stdout } = await sandbox.holt('doctor', '--fix');
  expect(stdout).toContain(`chmod 0644 '${file}'`);
  expect((await fs.stat(file)).mode & 0o777).toBe(0o600);
  expect((await sandbox.json<Doctored>('doctor')).problems.map(({ code }) => code)).toEqual([
    'secret-literal',
    'folder-untrusted',
  ]);
});

test('a machine without problems is well', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write('~/.cursor/mcp.json', '{"mcpServers":{"g":{"command":"node"}}}');
  const run = await sandbox.holt('doctor');
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toContain('No problems found.');
});

test('a token in holt’s own file can move to the credential store, and the entry then names it', async () => {
  await using sandbox = await createSandbox();
  const file = await sandbox.write(
    '~/.holt/mcp.json',
    '{"mcpServers":{"w":{"type":"http","url":"https://w.test/mcp","headers":{"Authorization":"Bearer tok-1234567890"}}}}',
  );
  await fs.chmod(file, 0o600);
  const { problems } = await sandbox.json<Doctored>('doctor');
  expect(problems.map(({ code, remedy }) => [code, remedy])).toEqual([
    [
      'secret-literal',
      'Move it to the credential store: holt add w https://w.test/mcp --replace --scope user --token TOKEN',
    ],
  ]);
  expect(
    await sandbox.holt(
      'add',
      'w',
      'https://w.test/mcp',
      '--replace',
      '--scope',
      'user',
      '--token',
      'tok-1234567890',
      '--yes',
    ),
  ).toMatchObject({ code: 0 });
  expect(await fs.readFile(file, 'utf8')).not.toContain('tok-1234567890');
  expect((await sandbox.json<Doctored>('doctor')).problems).toEqual([]);
});
