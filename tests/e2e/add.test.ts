import fs from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { createSandbox } from '../support/holt-command.ts';
import { runInTerminal } from '../support/terminal.ts';

test('add shows file and entry, asks, writes, and yes approves exactly that entry', async () => {
  await using sandbox = await createSandbox();
  const run = runInTerminal(sandbox, ['add', 'fs', '--', 'fs-server', '--root', '/tmp']);
  await run.waitFor('Write this entry? [y/N]: ');
  const file = sandbox.place('./.holt/mcp.json');
  expect(run.shown().replaceAll('\r\n', '\n').replace('\r\u001b[0J', '')).toBe(
    [
      "About to add MCP server 'fs' (project scope):",
      `  file:  ${file}`,
      '  entry: {"command":"fs-server","args":["--root","/tmp"]}',
      'Write this entry? [y/N]: ',
    ].join('\n'),
  );
  run.type('y\r');
  expect(await run.exited).toBe(0);
  expect(run.shown()).toContain(`wrote ${file}`);
  expect(JSON.parse(await fs.readFile(file, 'utf8'))).toMatchObject({
    mcpServers: { fs: { command: 'fs-server', args: ['--root', '/tmp'] } },
  });
  const { servers } = await sandbox.json('list');
  expect(servers).toMatchObject([{ name: 'fs', trusted: true }]);
  expect((await fs.stat(file)).mode & 0o777).toBe(0o600);
});

test('Enter means no: nothing is written', async () => {
  await using sandbox = await createSandbox();
  const run = runInTerminal(sandbox, ['add', 'fs', '--', 'fs-server']);
  await run.waitFor('[y/N]: ');
  run.type('\r');
  expect(await run.exited).toBe(1);
  expect(run.shown()).toContain('not written');
  expect((await sandbox.json('list'))['servers']).toEqual([]);
});

test('without a terminal it needs --yes, and --yes alone approves nothing', async () => {
  await using sandbox = await createSandbox();
  expect((await sandbox.holt('add', 'fs', '--', 'x')).code).toBe(2);
  await expect(fs.access(sandbox.place('./.holt'))).rejects.toThrow('ENOENT');
  expect((await sandbox.holt('add', 'fs', '--yes', '--', 'x')).code).toBe(0);
  expect((await sandbox.json('list'))['servers']).toMatchObject([{ name: 'fs', trusted: false }]);
  expect((await sandbox.holt('add', 'other', '--yes', '--trust', '--', 'y')).code).toBe(0);
  expect((await sandbox.json('list'))['servers']).toMatchObject([
    { name: 'fs', trusted: false },
    { name: 'other', trusted: true },
  ]);
});

test.each([
  [
    'chimera-otter',
    './.opencode/config.json',
    { mcp: { fs: { type: 'local', command: ['fs-server', '--root', '/tmp'] } } },
  ],
  [
    'opencode',
    './opencode.json',
    { mcp: { fs: { type: 'local', command: ['fs-server', '--root', '/tmp'] } } },
  ],
  [
    'cursor',
    './.cursor/mcp.json',
    { mcpServers: { fs: { command: 'fs-server', args: ['--root', '/tmp'] } } },
  ],
  ['vscode', './.vscode/mcp.json', { servers: { fs: { command: 'fs-server', args: ['--root', '/tmp'] } } }],
])('writes %s in its own format', async (agent, file, expected) => {
  await using sandbox = await createSandbox();
  await sandbox.holt('add', 'fs', '--agent', agent, '--yes', '--', 'fs-server', '--root', '/tmp');
  expect(JSON.parse(await fs.readFile(sandbox.place(file), 'utf8'))).toMatchObject(expected);
});

test('habits of other command lines work', async () => {
  await using sandbox = await createSandbox();
  const added = async (...words: readonly string[]): Promise<unknown> => {
    const name = words.find((word) => /^s\d+$/.test(word)) ?? '';
    expect(await sandbox.holt(...words, '--yes')).toMatchObject({ code: 0 });
    const { mcpServers } = JSON.parse(await fs.readFile(sandbox.place('~/.holt/mcp.json'), 'utf8')) as {
      mcpServers: Record<string, unknown>;
    };
    return mcpServers[name];
  };
  expect(await added('mcp', 'add', '--user', '--yes', 's1', 'npx', '-y', 'pkg')).toEqual({
    command: 'npx',
    args: ['-y', 'pkg', '--yes'],
  });
  expect(await added('add', '-s', 'user', '-t', 'http', 's2', 'https://x.test/mcp', '-H', 'A: b:c')).toEqual({
    type: 'http',
    url: 'https://x.test/mcp',
    headers: { A: 'b:c' },
  });
  expect(
    await added(
      'add',
      's3',
      '--user',
      '--mcp-http',
      'https://x.test/sse',
      '--type',
      'sse',
      '--mcp-header',
      'K=V',
    ),
  ).toEqual({ type: 'sse', url: 'https://x.test/sse', headers: { K: 'V' } });
  expect(await added('add', 's4', '--user', '-e', 'A=1', '--mcp-env', 'B=x=y', '--yes', '--', 'run')).toEqual(
    { command: 'run', args: ['--yes'], env: { A: '1', B: 'x=y' } },
  );
});

test('messages people know are kept', async () => {
  await using sandbox = await createSandbox();
  await sandbox.holt('add', 'fs', '--yes', '--', 'x');
  const file = sandbox.place('./.holt/mcp.json');
  const said = async (...words: readonly string[]): Promise<string> =>
    (await sandbox.holt(...words)).stderr.split('\n')[0] ?? '';
  expect(await said('add', 'fs', '--yes', '--', 'y')).toBe(`Server "fs" already exists in ${file}`);
  expect(await said('add', 'a', '--url', 'http://x.test', '--', 'y')).toBe(
    'Use either --url or -- <command...>, not both.',
  );
  expect(await said('add', 'a', '--token', 't', '--', 'y')).toBe(
    '--token requires --url (HTTP/SSE transport).',
  );
  expect(await said('add', 'a', '--yes', '-t', 'pigeon', '--url', 'http://x.test')).toMatch(
    /^Invalid server config: /,
  );
  expect(await said('add', 'a b', '--yes', '--', 'y')).toMatch(/^Invalid server config: /);
});

test('options that contradict each other are told by name, with what to do, and nothing is written', async () => {
  await using sandbox = await createSandbox();
  const said = async (...words: readonly string[]): Promise<readonly [number, string]> => {
    const { code, stderr } = await sandbox.holt('add', 'a', '--yes', ...words);
    return [code, stderr];
  };
  const [url, written, program] = await Promise.all([
    said('--transport', 'stdio', '--url', 'http://x.test'),
    said('http://x.test', '-t', 'local'),
    said('--type', 'http', '--', 'y'),
  ]);
  const remote =
    'Leave --transport out for the remote server, or give a command after -- in place of the URL.\n';
  expect([url, written, program]).toEqual([
    [2, `--transport stdio and --url contradict each other: stdio is for programs that run here\n${remote}`],
    [2, `--transport local and a URL contradict each other: local is for programs that run here\n${remote}`],
    [
      2,
      '--transport http and a command contradict each other: http is for remote servers\nLeave --transport out to run the command, or give --url in place of it.\n',
    ],
  ]);
  await expect(fs.access(sandbox.place('./.holt'))).rejects.toThrow('ENOENT');
});

test('a token goes nowhere but into the store that the settings name', async () => {
  await using sandbox = await createSandbox({ HOLT_CREDENTIAL_STORE: 'memory' });
  const { code, stderr } = await sandbox.holt(
    'add',
    'a',
    '--url',
    'https://x.test',
    '--token',
    't0k',
    '--yes',
  );
  expect(code).toBe(1);
  expect(stderr).toContain('credentialStore is "memory", and what is kept there ends with this command');
  expect(await sandbox.json('list')).toMatchObject({ servers: [] });
  await expect(fs.readFile(sandbox.place('~/.holt/credentials.json'))).rejects.toThrow('ENOENT');
});

test('remove, disable, enable and undo change just that entry and give every byte back', async () => {
  await using sandbox = await createSandbox();
  const text =
    '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "x" }, // first\n    "b": { "command": "y" }\n  }\n}\n';
  const file = await sandbox.write('~/.holt/mcp.json', text);
  for (const words of [
    ['disable', 'a'],
    ['rm', 'b'],
    ['remove', 'a'],
  ]) {
    expect(await sandbox.holt(...words)).toMatchObject({ code: 0 });
    expect(await fs.readFile(file, 'utf8')).not.toBe(text);
    expect(await fs.readFile(file, 'utf8')).toContain('// mine');
    expect(await sandbox.holt('undo')).toMatchObject({ code: 0 });
    expect(await fs.readFile(file, 'utf8')).toBe(text);
  }
});

test('the wizard tries what it wrote, once, and shows that it works', async () => {
  await using sandbox = await createSandbox();
  const echo = path.join(import.meta.dirname, '..', 'fixtures', 'servers', 'echo.mjs');
  const run = runInTerminal(sandbox, ['add']);
  for (const [question, answer] of [
    ['Name: ', 'echo'],
    ['[l/r]: ', 'l'],
    ['Command line: ', `"${process.execPath}" "${echo}"`],
    ['Variable K=V', ''],
    ['Scope', 'project'],
    ['Agent', ''],
    ['Write this entry? [y/N]: ', 'y'],
  ] as const) {
    await run.waitFor(question);
    run.type(`${answer}\r`);
  }
  await run.waitFor('wrote ');
  await run.waitFor('listing_tools');
  await run.waitFor('echo works.');
  expect(await run.exited).toBe(0);
});

test('the wizard asks for what it needs, asks again for what it cannot use, and keeps what does not work', async () => {
  await using sandbox = await createSandbox();
  const run = runInTerminal(sandbox, ['add']);
  for (const [question, answer] of [
    ['Name: ', 'bad name'],
    ['dashes and underscores', 'fs'],
    ['[l/r]: ', 'l'],
    ['Command line: ', `fs-server --root "/tmp/with space"`],
    ['Variable K=V', 'A=1'],
    ['Variable K=V (empty to go on): A=1', ''],
    ['Scope', 'user'],
    ['Agent', ''],
    ['Write this entry? [y/N]: ', 'y'],
  ] as const) {
    await run.waitFor(question);
    run.type(`${answer}\r`);
  }
  await run.waitFor('The entry is kept.');
  expect(await run.exited).toBe(0);
  expect(JSON.parse(await fs.readFile(sandbox.place('~/.holt/mcp.json'), 'utf8'))).toMatchObject({
    mcpServers: { fs: { command: 'fs-server', args: ['--root', '/tmp/with space'], env: { A: '1' } } },
  });
});

test('import copies between formats and names what it leaves out', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write(
    '~/.codex/config.toml',
    '[mcp_servers.docs]\ncommand = "npx"\nargs = ["-y", "docs"]\nstartup_timeout_sec = 20\n',
  );
  expect(await sandbox.holt('import', '--from', 'codex', '--to', 'cursor', '--yes')).toMatchObject({
    code: 0,
  });
  expect(JSON.parse(await fs.readFile(sandbox.place('~/.cursor/mcp.json'), 'utf8'))).toMatchObject({
    mcpServers: { docs: { command: 'npx', args: ['-y', 'docs'] } },
  });
});
