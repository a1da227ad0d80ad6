/** What a program gets that has files read, or hands definitions over. */

import { expect, test } from 'vitest';

import { createSandbox } from '../../tests/support/holt-command.ts';
import { loadServers } from './load-servers.ts';
import { validateServerConfig } from './validate-server-config.ts';

test.each<readonly [readonly string[] | undefined, readonly string[]]>([
  [undefined, ['of-cursor', 'of-holt']],
  [['*'], ['of-cursor', 'of-holt']],
  [['!cursor'], ['of-holt']],
  [['cursor'], ['of-cursor']],
  [[], []],
])('agents: %j reads just those', async (agents, names) => {
  await using sandbox = await createSandbox();
  const file = (name: string): string => JSON.stringify({ mcpServers: { [name]: { command: 'x' } } });
  await sandbox.write('~/.cursor/mcp.json', file('of-cursor'));
  await sandbox.write('~/.holt/mcp.json', file('of-holt'));
  const { servers } = await loadServers({ cwd: sandbox.project, home: sandbox.home, env: {}, agents });
  expect(servers.map(({ name }) => name).toSorted()).toEqual(names);
});

test('T137: a definition that is nested too deeply to write is reported', () => {
  let nested: Record<string, unknown> = { command: 'x' };
  for (let level = 0; level < 20_000; level += 1) nested = { name: nested };
  expect(validateServerConfig(nested, 'odd')).toEqual({
    ok: false,
    errors: ['odd is nested deeper than 64 levels'],
  });
});

test('a definition that a file could not contain is reported by its place, not by an exception', () => {
  const round: Record<string, unknown> = { command: 'x' };
  round['env'] = { back: round };
  expect(validateServerConfig(round, 'odd')).toEqual({
    ok: false,
    errors: ['odd.env.back leads back to an object that contains it'],
  });
  expect(validateServerConfig({ command: 'x', timeout: 1n }, 'odd')).toEqual({
    ok: false,
    errors: ['odd.timeout must be a number or a string, but is a BigInt'],
  });
});
