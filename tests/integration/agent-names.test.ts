/** The names that people type for agents work wherever an agent is named; what is printed has the id. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { openHost } from '../../src/index.ts';
import { openLineWorld, type LineWorld } from '../support/command-fixture.ts';

let world: LineWorld;
beforeEach(async () => {
  world = await openLineWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const json = async (...words: readonly string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await world.run(...words, '--json')).out);
const read = async (file: string): Promise<unknown> =>
  JSON.parse(await readFile(path.join(world.home, file), 'utf8'));

const kilo = { type: 'local', command: ['gh-mcp'] };
const gh = { command: 'gh-mcp' };

test('list --agent', async () => {
  await world.write('~/.gemini/settings.json', { mcpServers: { gh } });
  await world.write('~/.cursor/mcp.json', { mcpServers: { other: gh } });
  for (const word of ['gemini', 'gemini-cli', 'Gemini-CLI'])
    expect(await json('list', '--agent', word)).toMatchObject({ servers: [{ name: 'gh', agent: 'gemini' }] });
});

test('import --from and --to', async () => {
  await world.write('~/.copilot/mcp-config.json', { mcpServers: { gh: { type: 'local', ...gh, args: [] } } });
  const { code, out } = await world.run('import', '--from', 'Copilot', '--to', 'droid', '--user', '--yes');
  expect([code, out]).toEqual([0, expect.stringContaining(path.join(world.home, '.factory/mcp.json'))]);
  expect(await read('.factory/mcp.json')).toEqual({ mcpServers: { gh: { type: 'stdio', ...gh } } });
});

test('add --agent', async () => {
  const { code, out } = await world.run('add', 'gh', '--agent', 'q', '--user', '--yes', '--', 'gh-mcp');
  expect([code, out]).toEqual([0, expect.stringContaining('.aws/amazonq/')]);
});

test.each(['gh@kilocode', 'gh@Kilo-Code', 'gh@kilo'])('NAME@AGENT: %s', async (ref) => {
  await world.write('~/.config/kilo/kilo.json', { mcp: { gh: kilo } });
  await world.write('~/.cursor/mcp.json', { mcpServers: { gh: { command: 'other' } } });
  expect(await json('get', ref)).toMatchObject({ server: { command: 'gh-mcp', origin: { agent: 'kilo' } } });
});

test.each(['remove', 'enable', 'disable'])('%s --agent', async (command) => {
  await world.write('~/.kiro/settings/mcp.json', { mcpServers: { gh } });
  await world.write('~/.cursor/mcp.json', { mcpServers: { gh } });
  expect(await json(command, 'gh', '--agent', 'kiro-cli')).toMatchObject({ agent: 'kiro' });
});

test('the setting agents, which also takes names with an exclamation mark', async () => {
  await world.write('~/.gemini/settings.json', { mcpServers: { one: gh } });
  await world.write('~/.cursor/mcp.json', { mcpServers: { two: { command: 'other' } } });
  await world.write('~/.holt/config.json', { agents: ['Gemini-CLI'] });
  expect(await json('list')).toMatchObject({ servers: [{ name: 'one' }], problems: [] });
  await world.write('~/.holt/config.json', { agents: ['!gemini-cli'] });
  expect(await json('list')).toMatchObject({ servers: [{ name: 'two' }], problems: [] });
  expect((await world.run('config', 'set', 'agents', '["claude","!droid","*"]')).code).toBe(0);
  expect((await world.run('config', 'validate')).code).toBe(0);
});

test('openHost({ agents }) and where a server is saved to', async () => {
  await world.write('~/.gemini/settings.json', { mcpServers: { one: gh } });
  await world.write('~/.cursor/mcp.json', { mcpServers: { two: gh } });
  const { home } = world;
  await using host = await openHost({ home, cwd: home, env: {}, agents: ['gemini-cli'] });
  expect(host.definitions().map(({ name }) => name)).toEqual(['one']);
  const off = { ...gh, enabled: false };
  await host.add('three', off, { save: { agent: 'Claude', scope: 'user' } });
  expect(await read('.claude.json')).toMatchObject({ mcpServers: { three: gh } });
});

test('an unknown name is refused, with the nearest id', async () => {
  const { code, error } = await world.run('list', '--agent', 'cursr');
  expect([code, error]).toEqual([2, 'Unknown agent "cursr"\nDid you mean "cursor"?\n']);
});

test('an agent whose files holt only reads is not taken for a mistyped one', async () => {
  const { code, error } = await world.run('add', 'gh', '--agent', 'qoder', '--user', '--yes', '--', 'gh-mcp');
  expect([code, error]).toEqual([
    2,
    expect.stringMatching(/^holt does not write the files of qoder\nIt writes for: holt, /),
  ]);
});
