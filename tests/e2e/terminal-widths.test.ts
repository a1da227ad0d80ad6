/** What commands print in terminals of different widths. */

import path from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { createSandbox, type Sandbox } from '../support/holt-command.ts';
import { runInTerminal } from '../support/terminal.ts';

const fixture = (name: string): string =>
  path.join(import.meta.dirname, '..', 'fixtures', 'servers', `${name}.mjs`);

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox();
  const words =
    'an argument of many words that is wider than any of these terminals, so that it has to wrap somewhere in each';
  const servers = {
    echo: { command: process.execPath, args: [fixture('echo')] },
    'with-resources': { command: process.execPath, args: [fixture('has-resources')] },
    broken: { command: 'no-such-program', args: ['--what', words] },
    remote: {
      url: 'http://127.0.0.1:9/mcp',
      enabled: false,
      oauth: { clientId: 'my-client', clientSecret: 'very-secret-value', scopes: ['read', 'write'] },
      timeouts: { startMs: 4000, phases: { listing_tools: 3000 } },
      tools: { include: ['a', 'b*'], exclude: ['c'] },
    },
    'with-login': {
      url: 'http://127.0.0.1:9/mcp',
      enabled: false,
      auth: { type: 'oauth', credentialId: 'my-login' },
    },
    closed: { url: 'http://127.0.0.1:9/closed', enabled: false, oauth: false },
  };
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: servers }));
  await sandbox.write(
    './.mcp.json',
    JSON.stringify({ mcpServers: { shared: { command: 'npx', args: ['-y', 'x@1.0.0'] } } }),
  );
  await sandbox.holt('trust', '--folder');
});
afterAll(() => sandbox[Symbol.asyncDispose]());

const commands = [
  [],
  ['--help'],
  ['add', '--help'],
  ['get', 'broken'],
  ['get', 'remote'],
  ['trust', '--list'],
  ['status'],
  ['doctor'],
  ['ps'],
  ['auth', 'list'],
  ['tools', 'echo'],
  ['resources', 'with-resources'],
  ['prompts', 'with-resources'],
  ['policy', 'explain', 'echo.echo'],
  ['pin'],
  ['config', 'get'],
  ['agents'],
];

async function linesOf(args: readonly string[], cols: number): Promise<readonly string[]> {
  const run = runInTerminal(sandbox, args, {}, { cols });
  await run.exited;
  // Progress lines remove themselves.
  return run
    .shown()
    .replaceAll(/[^\n]*\r\u001b\[2K/g, '')
    .split('\r\n');
}

const cases = [
  ...commands.map((args) => ({ args, cols: 60 })),
  ...[80, 120].flatMap((cols) =>
    [[], ['get', 'broken'], ['trust', '--list'], ['doctor']].map((args) => ({ args, cols })),
  ),
].map(({ args, cols }) => [`holt ${args.join(' ')}`, cols, args] as const);

test.each(cases)('%s fits a terminal of %i columns', async (_, cols, args) => {
  const lines = await linesOf(args, cols);
  expect(lines.join('').length).toBeGreaterThan(10);
  // What is still too wide is a single word.
  expect(lines.filter((line) => line.length > cols && /\S\s+\S/.test(line))).toEqual([]);
});

test('holt list is never wrapped', async () => {
  const lines = await linesOf(['list', '--long'], 60);
  expect(lines.filter((line) => line !== '').length).toBe(8);
});

test('a digest has a line of its own, in a pipe too', async () => {
  const { stdout } = await sandbox.holt('trust', '--list');
  expect(stdout).toMatch(
    /^NAME {4}STATE {6}AGENT {5}FILE\nshared  untrusted  mcp-json  .*\n {4}sha256:[0-9a-f]{64}\n/,
  );
});

test('holt get shows auth, oauth, limits and tools in words, and no JSON', async () => {
  const { stdout } = await sandbox.holt('get', 'remote');
  expect(stdout).not.toMatch(/[{}[\]"]/);
  for (const line of [
    /^oauth +clientId: my-client$/m,
    /^oauth +clientSecret: \*+$/m,
    /^oauth +scopes: read write$/m,
    /^timeout +start: 4000 ms$/m,
    /^timeout +listing_tools: 3000 ms$/m,
    /^tools +only a, b\*$/m,
    /^tools +not c$/m,
  ])
    expect(stdout).toMatch(line);
  expect((await sandbox.holt('get', 'with-login')).stdout).toMatch(/^auth +the stored login "my-login"$/m);
  expect((await sandbox.holt('get', 'closed')).stdout).toMatch(/^oauth +off: holt does not log in here$/m);
});
