import fs from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { createSandbox, type Sandbox } from '../support/holt-command.ts';
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

test('known messages stay unchanged', async () => {
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

test('contradicting options are named, with a remedy, and nothing is written', async () => {
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

test('a token is written only to the store that the settings name', async () => {
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

test('the wizard tests the new server once and shows that it works', async () => {
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

test('the wizard asks for missing values, repeats a question after an invalid answer, and leaves a failing entry in the file', async () => {
  await using sandbox = await createSandbox();
  const run = runInTerminal(sandbox, ['add']);
  for (const [question, answer] of [
    ['Name: ', 'bad name'],
    ['dashes and underscores', 'fs'],
    ['[l/r]: ', 'l'],
    ['Command line: ', `fs-server --root "/tmp/with space"`],
    ['Variable K=V', 'A=1'],
    ['Variable K=V (empty to continue): A=1', ''],
    ['Scope', 'user'],
    ['Agent', ''],
    ['Write this entry? [y/N]: ', 'y'],
  ] as const) {
    await run.waitFor(question);
    run.type(`${answer}\r`);
  }
  await run.waitFor('The entry stays in the file.');
  expect(await run.exited).toBe(0);
  expect(JSON.parse(await fs.readFile(sandbox.place('~/.holt/mcp.json'), 'utf8'))).toMatchObject({
    mcpServers: { fs: { command: 'fs-server', args: ['--root', '/tmp/with space'], env: { A: '1' } } },
  });
});

test('import copies between formats and names the fields that it omits', async () => {
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

/** What is in the user's own file after `holt add … --user --yes`. */
async function addedEntry(sandbox: Sandbox, ...words: readonly string[]): Promise<unknown> {
  expect(await sandbox.holt(...words)).toMatchObject({ code: 0 });
  const { mcpServers } = JSON.parse(await fs.readFile(sandbox.place('~/.holt/mcp.json'), 'utf8')) as {
    mcpServers: Record<string, unknown>;
  };
  await fs.rm(sandbox.place('~/.holt/mcp.json'));
  return Object.values(mcpServers)[0];
}
const url = 'https://x.test/mcp';

test.each([
  [
    'several values of -e',
    ['x', '-e', 'A=1', 'B=2', '--', 'run', '-e', 'C=3'],
    { command: 'run', args: ['-e', 'C=3'], env: { A: '1', B: '2' } },
  ],
  [
    '-e before the name',
    ['--env', 'A=1', 'B=2', 'x', '--', 'run'],
    { command: 'run', env: { A: '1', B: '2' } },
  ],
  [
    'several values of -e without dashes',
    ['x', '-e', 'A=1', 'B=2', 'run'],
    { command: 'run', env: { A: '1', B: '2' } },
  ],
  [
    'several values of -H',
    ['-H', 'A: 1', 'B:2', 'C=3', 'x', url],
    { type: 'http', url, headers: { A: '1', B: '2', C: '3' } },
  ],
  ['-H before a URL', ['x', '-H', 'A: 1', url], { type: 'http', url, headers: { A: '1' } }],
  ['a server with the name of a program', ['node', '--', 'run'], { command: 'run' }],
  ['a program that is there, after such a name', ['node', 'sh', 'run'], { command: 'sh', args: ['run'] }],
  ['a URL after the dashes', ['x', '--', url], { type: 'http', url }],
  ['a whole command line as one word', ['x', '--', 'npx -y "a b"'], { command: 'npx', args: ['-y', 'a b'] }],
  [
    '--bearer-token-env-var',
    ['x', '--url', url, '--bearer-token-env-var', 'TOKEN_X'],
    { type: 'http', url, headers: { Authorization: 'Bearer ${TOKEN_X}' } },
  ],
  [
    '--client-id and --callback-port',
    ['x', url, '--client-id', 'me', '--callback-port', '8123'],
    { type: 'http', url, oauth: { clientId: 'me', callbackPort: 8123 } },
  ],
  [
    '--include-tools and --exclude-tools',
    ['x', '--include-tools', 'a,b', '--exclude-tools', 'c', '--', 'run'],
    { command: 'run', tools: { include: ['a', 'b'], exclude: ['c'] } },
  ],
])('add understands %s', async (_, words, entry) => {
  await using sandbox = await createSandbox();
  expect(await addedEntry(sandbox, 'add', '--user', '--yes', ...words)).toEqual(entry);
});

test.each([
  [
    'a word before the dashes',
    ['fs', 'npx', '--', 'run'],
    '"npx" is before --, and only what follows -- is the command',
    'Leave it out, or if "npx" is the command, write holt add fs -- npx -- run',
  ],
  [
    'several words before the dashes',
    ['fs', 'npm', 'run', 'mcp', '--', '--port', '3'],
    '"npm run mcp" is before --, and only what follows -- is the command',
    'Leave it out, or if "npm run mcp" is the command, write holt add fs -- npm run mcp -- --port 3',
  ],
  [
    'JSON in the place of the command',
    ['fs', '{"command":"x"}'],
    '"{"command":"x"}" is not a command',
    "For an entry in JSON, write holt add-json NAME 'JSON'.",
  ],
  [
    'a command in the place of the name',
    ['npx', '-y', 'no-such-program-here', '--stdio'],
    '"npx" is a command, and the name is missing',
    'Write holt add NAME -- npx -y no-such-program-here --stdio',
  ],
  [
    'an option in the place of the command',
    ['fs', '--', '-y', 'run'],
    '"-y" is an option, and the command is missing',
    'Write holt add NAME -- COMMAND ARGS…',
  ],
  [
    'a URL alone',
    ['https://mcp.sentry.dev/mcp'],
    'https://mcp.sentry.dev/mcp needs a name',
    'For example: holt add sentry https://mcp.sentry.dev/mcp',
  ],
  [
    '--url alone',
    ['--url', 'http://localhost:3000/mcp'],
    'http://localhost:3000/mcp needs a name',
    'For example: holt add localhost --url http://localhost:3000/mcp',
  ],
  [
    'the URL before the name',
    ['https://x.test/mcp', 'fs'],
    'The name comes before the URL',
    'Write holt add fs https://x.test/mcp.',
  ],
  [
    '--description',
    ['fs', '--description', 'files', '--', 'run'],
    'An entry has no description',
    'Leave --description out; a comment in the file can say what the server is for.',
  ],
  [
    '--client-id of a program',
    ['fs', '--client-id', 'me', '--', 'run'],
    '--client-id is for remote servers',
    'Give --url, or leave --client-id out.',
  ],
  [
    'a token in the place of a variable',
    ['fs', url, '--bearer-token-env-var', 'sk-12'],
    '--bearer-token-env-var takes the name of a variable, not "sk-12"',
    'For example --bearer-token-env-var EXAMPLE_TOKEN; a token itself goes to --token.',
  ],
  [
    'a port that is none',
    ['fs', url, '--callback-port', '0'],
    '--callback-port takes a port, not "0"',
    'A port is a number from 1 to 65535.',
  ],
])('add refuses %s, says what to write, and writes nothing', async (_, words, message, remedy) => {
  await using sandbox = await createSandbox();
  expect(await sandbox.holt('add', '--yes', ...words)).toEqual({
    code: 2,
    stdout: '',
    stderr: `${message}\n${remedy}\n`,
  });
  await expect(fs.access(sandbox.place('./.holt'))).rejects.toThrow('ENOENT');
});

test('add URL proposes a name on a terminal, and Enter takes it', async () => {
  await using sandbox = await createSandbox();
  const run = runInTerminal(sandbox, ['add', '--user', 'https://docs.mcp.cloudflare.com/mcp']);
  await run.waitFor('Name [cloudflare]: ');
  run.type('\r');
  await run.waitFor('Write this entry? [y/N]: ');
  run.type('y\r');
  expect(await run.exited).toBe(0);
  expect((await sandbox.json('list'))['servers']).toMatchObject([{ name: 'cloudflare' }]);
});

test.each([
  ['itself', '{"command":"run"}'],
  ['the file around it', '{"mcpServers":{"x":{"command":"run"}}}'],
  ['its name around it', '{"x":{"command":"run"}}'],
  ['another name around it', '{"servers":{"y":{"command":"run"}}}'],
  ['the settings of VS Code around it', '{"mcp":{"servers":{"x":{"command":"run"}}}}'],
])('add-json finds an entry that is given as %s', async (_, json) => {
  await using sandbox = await createSandbox();
  expect(await addedEntry(sandbox, 'add-json', '--user', '--yes', 'x', json)).toEqual({ command: 'run' });
});

test('add-json refuses several servers in one command, and writes nothing', async () => {
  await using sandbox = await createSandbox();
  const json = '{"mcpServers":{"x":{"command":"run"},"y":{"command":"run"}}}';
  expect(await sandbox.holt('add-json', '--yes', 'x', json)).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'The JSON has 2 servers in it: x, y\nholt add-json adds one: leave the others out, or add them one by one.\n',
  });
  await expect(fs.access(sandbox.place('./.holt'))).rejects.toThrow('ENOENT');
});

test('add --yes ends with the next step while the entry waits for approval', async () => {
  await using sandbox = await createSandbox();
  const last = async (...words: readonly string[]): Promise<string | undefined> =>
    (await sandbox.holt('add', '--yes', ...words)).stdout.trimEnd().split('\n').at(-1);
  const next = 'It does not run before you approve it: holt trust a';
  expect(await last('a', '--', 'run')).toBe(next);
  expect(await last('b', '--trust', '--', 'run')).toBe(`wrote ${sandbox.place('./.holt/mcp.json')}`);
  expect(await last('c', '--user', '--', 'run')).toBe(`wrote ${sandbox.place('~/.holt/mcp.json')}`);
});
