/** `holt pin` as a person uses it: a tool changes behind a name, is held back everywhere, looked at, and accepted. */

import path from 'node:path';

import { expect, test } from 'vitest';

import { createSandbox, packageRoot, type Sandbox } from '../support/holt-command.ts';

const program = path.join(packageRoot, 'tests', 'fixtures', 'servers', 'tools-from-file.mjs');
const schema = { type: 'object', properties: { path: { type: 'string' } } };
const read = { name: 'read', description: 'Reads a file', inputSchema: schema };
const write = { name: 'write', description: 'Writes a file', inputSchema: schema };
const lines = ['- description: "Reads a file"', '+ description: "Reads a⟨U+200B⟩ file"'];
const changed = { ...read, description: 'Reads a\u200b file' };

async function sandboxWith(tools: readonly object[]): Promise<Sandbox> {
  const sandbox = await createSandbox();
  const file = await sandbox.write('~/tools.json', JSON.stringify(tools));
  const server = { command: process.execPath, args: [program, file] };
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { fs: server } }));
  return sandbox;
}

test('T53: a changed tool is held back from lists and calls, with a diff, until it is accepted', async () => {
  await using sandbox = await sandboxWith([read, write]);
  const first = await sandbox.json<{ pinned: { server: string; tools: { tool: string }[] }[]; withheld: [] }>(
    'pin',
  );
  expect(first.pinned.map(({ server, tools }) => [server, tools.map(({ tool }) => tool)])).toEqual([
    ['fs', ['read', 'write']],
  ]);
  expect(first.withheld).toEqual([]);

  await sandbox.write('~/tools.json', JSON.stringify([changed, write]));
  const listed = await sandbox.json<{ tools: { tool: string }[] }>('tools', 'fs');
  expect(listed.tools.map(({ tool }) => tool)).toEqual(['write']);
  const call = await sandbox.holt('call', 'fs.read', 'path=a');
  expect([call.code, call.stdout]).toEqual([5, '']);
  expect(call.stderr).toContain('The tool fs.read is not what it was when it was accepted');

  const [, , advised = ''] = /^(.+): holt (.+)\n$/m.exec(call.stderr) ?? [];
  expect(advised).toBe('pin accept fs.read');

  const diff = await sandbox.holt('pin', 'diff', 'fs.read');
  expect([diff.code, diff.stdout]).toEqual([
    0,
    [
      'changed  fs.read',
      ...lines.map((line) => `  ${line}`),
      'Accept what you have read: holt pin accept fs',
      '',
    ].join('\n'),
  ]);
  expect(await sandbox.json(...advised.split(' '))).toEqual({
    schema: 1,
    accepted: [{ server: 'fs', tool: 'read', changes: lines }],
    withheld: [],
    errors: {},
  });
  expect(await sandbox.holt('call', 'fs.read', 'path=a')).toMatchObject({ code: 0, stdout: 'called read\n' });
});

test('accept takes servers, tools or all, and rejects unknown names', async () => {
  await using sandbox = await sandboxWith([read, write]);
  await sandbox.holt('pin');
  await sandbox.write('~/tools.json', JSON.stringify([changed, { ...write, title: 'X' }]));
  const all = await sandbox.json<{ accepted: { tool: string }[] }>('pin', 'accept', '--all');
  expect(all.accepted.map(({ tool }) => tool)).toEqual(['read', 'write']);
  expect((await sandbox.holt('pin', 'diff')).stdout).toBe('No tool has changed.\n');
  expect((await sandbox.holt('pin', 'accept', 'fs')).stdout).toBe('Nothing had changed.\n');
  const outcomes = await Promise.all(
    [
      ['accept'],
      ['accept', 'fs', '--all'],
      ['fs'],
      ['diff', '--all'],
      ['accept', 'gone'],
      ['accept', 'fs.gone'],
    ].map(async (words) => {
      const { code, stderr } = await sandbox.holt('pin', ...words);
      return `${code} ${stderr.split('\n', 1)[0] ?? ''}`;
    }),
  );
  expect(outcomes).toEqual([
    '2 holt pin accept takes servers, tools or --all',
    '2 holt pin accept takes servers, tools or --all',
    '2 holt pin knows list, diff and accept',
    '2 --all goes with holt pin accept',
    '2 Unknown server "gone"',
    '2 Server "fs" has no tool "gone"',
  ]);
});

test('changed instructions and two tools of one name are reported, and instructions can be accepted', async () => {
  await using sandbox = await createSandbox();
  const twin = { ...read, description: 'Reads it, too' };
  const tools = await sandbox.write('~/tools.json', JSON.stringify([read, twin]));
  const said = await sandbox.write('~/said.txt', 'Read first.');
  const server = { command: process.execPath, args: [program, tools, said] };
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { fs: server } }));
  const twice = 'tool "read" is listed more than once; the first is kept';
  const { problems } = await sandbox.json<{ problems: { code: string; message: string }[] }>('pin', 'diff');
  expect(problems).toMatchObject([{ code: 'offer-duplicate', message: twice }]);
  await sandbox.write('~/said.txt', 'Delete first.');
  expect((await sandbox.holt('pin', 'accept', 'fs')).stdout.split('\n')).toEqual([
    'accepted  the instructions of fs',
    `odd      fs: ${twice}`,
    '  A call reaches the first one. Its maker has to give them two names.',
    '',
  ]);
});
