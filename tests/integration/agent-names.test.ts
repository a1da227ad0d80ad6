/** The names that people type for agents work wherever an agent is named; what is printed has the id. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { openHost } from '../../src/index.ts';
import { openCommandFixture, type CommandFixture } from '../support/command-fixture.ts';

let fixture: CommandFixture;
beforeEach(async () => {
  fixture = await openCommandFixture();
});
afterEach(() => fixture[Symbol.asyncDispose]());

const json = async (...words: readonly string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await fixture.run(...words, '--json')).out);
const read = async (file: string): Promise<unknown> =>
  JSON.parse(await readFile(path.join(fixture.home, file), 'utf8'));

const kilo = { type: 'local', command: ['gh-mcp'] };
const gh = { command: 'gh-mcp' };

test('list --agent', async () => {
  await fixture.write('~/.gemini/settings.json', { mcpServers: { gh } });
  await fixture.write('~/.cursor/mcp.json', { mcpServers: { other: gh } });
  for (const word of ['gemini', 'gemini-cli', 'Gemini-CLI'])
    expect(await json('list', '--agent', word)).toMatchObject({ servers: [{ name: 'gh', agent: 'gemini' }] });
});

test('import --from and --to', async () => {
  await fixture.write('~/.copilot/mcp-config.json', {
    mcpServers: { gh: { type: 'local', ...gh, args: [] } },
  });
  const { code, out } = await fixture.run('import', '--from', 'Copilot', '--to', 'droid', '--user', '--yes');
  expect([code, out]).toEqual([0, expect.stringContaining(path.join(fixture.home, '.factory/mcp.json'))]);
  expect(await read('.factory/mcp.json')).toEqual({ mcpServers: { gh: { type: 'stdio', ...gh } } });
});

test('add --agent', async () => {
  const { code, out } = await fixture.run('add', 'gh', '--agent', 'q', '--user', '--yes', '--', 'gh-mcp');
  expect([code, out]).toEqual([0, expect.stringContaining('.aws/amazonq/')]);
});

test.each(['gh@kilocode', 'gh@Kilo-Code', 'gh@kilo'])('NAME@AGENT: %s', async (ref) => {
  await fixture.write('~/.config/kilo/kilo.json', { mcp: { gh: kilo } });
  await fixture.write('~/.cursor/mcp.json', { mcpServers: { gh: { command: 'other' } } });
  expect(await json('get', ref)).toMatchObject({ server: { command: 'gh-mcp', origin: { agent: 'kilo' } } });
});

test.each(['remove', 'enable', 'disable'])('%s --agent', async (command) => {
  await fixture.write('~/.kiro/settings/mcp.json', { mcpServers: { gh } });
  await fixture.write('~/.cursor/mcp.json', { mcpServers: { gh } });
  expect(await json(command, 'gh', '--agent', 'kiro-cli')).toMatchObject({ agent: 'kiro' });
});

test('the setting agents, which also takes names with an exclamation mark', async () => {
  await fixture.write('~/.gemini/settings.json', { mcpServers: { one: gh } });
  await fixture.write('~/.cursor/mcp.json', { mcpServers: { two: { command: 'other' } } });
  await fixture.write('~/.holt/config.json', { agents: ['Gemini-CLI'] });
  expect(await json('list')).toMatchObject({ servers: [{ name: 'one' }], problems: [] });
  await fixture.write('~/.holt/config.json', { agents: ['!gemini-cli'] });
  expect(await json('list')).toMatchObject({ servers: [{ name: 'two' }], problems: [] });
  expect((await fixture.run('config', 'set', 'agents', '["claude","!droid","*"]')).code).toBe(0);
  expect((await fixture.run('config', 'validate')).code).toBe(0);
});

test('openHost({ agents }) and where a server is saved to', async () => {
  await fixture.write('~/.gemini/settings.json', { mcpServers: { one: gh } });
  await fixture.write('~/.cursor/mcp.json', { mcpServers: { two: gh } });
  const { home } = fixture;
  await using host = await openHost({ home, cwd: home, env: {}, agents: ['gemini-cli'] });
  expect(host.definitions().map(({ name }) => name)).toEqual(['one']);
  const off = { ...gh, enabled: false };
  await host.add('three', off, { save: { agent: 'Claude', scope: 'user' } });
  expect(await read('.claude.json')).toMatchObject({ mcpServers: { three: gh } });
});

test('an unknown name is refused, with the nearest id', async () => {
  const { code, error } = await fixture.run('list', '--agent', 'cursr');
  expect([code, error]).toEqual([2, 'Unknown agent "cursr"\nDid you mean "cursor"?\n']);
});

test('an agent whose files holt only reads is not taken for a mistyped one', async () => {
  const { code, error } = await fixture.run(
    'add',
    'gh',
    '--agent',
    'qoder',
    '--user',
    '--yes',
    '--',
    'gh-mcp',
  );
  expect([code, error]).toEqual([
    2,
    expect.stringMatching(/^holt does not write the files of qoder\nIt writes for: holt, /),
  ]);
});
