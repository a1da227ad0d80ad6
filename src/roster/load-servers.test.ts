/** Which agents a program has read. */

import { expect, test } from 'vitest';

import { createSandbox } from '../../tests/support/holt-command.ts';
import { loadServers } from './load-servers.ts';

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
