/** Agents that a project's settings leave out are told of. */

import { expect, test } from 'vitest';

import { makeMachine, memoryFiles, type AgentCase } from '../../tests/support/agent-machine.ts';
import { alwaysSaying } from '../../tests/support/sample-servers.ts';
import type { Problem } from '../kernel/problems.ts';
import { loadRoster } from './load-roster.ts';

const users = {
  '~/.cursor/mcp.json': '{"mcpServers": {"ex": {"command": "run"}}}',
  '~/.codex/config.toml': '[mcp_servers.other]\ncommand = "run"\n',
};

async function toldOf(files: AgentCase['files'], agents?: readonly string[]): Promise<readonly Problem[]> {
  const machine = makeMachine();
  const parts = { machine, files: memoryFiles(machine, files), identity: undefined };
  const { problems } = await loadRoster({ agents }, { ...parts, approvals: alwaysSaying('open') });
  return problems.filter(({ code }) => code === 'agents-left-out');
}

test('those that have files here are named, with the place that leaves them out', async () => {
  const theirs = { './.holt/config.json': '{\n"agents": ["mcp-json"]}' };
  expect(await toldOf({ ...users, ...theirs })).toEqual([
    {
      severity: 'warning',
      code: 'agents-left-out',
      file: '/srv/shop/.holt/config.json',
      line: 2,
      column: 1,
      message: 'the settings of this project leave out agents that have files here: codex, cursor',
      remedy: 'HOLT_AGENTS="*" in the environment reads them all the same.',
    },
  ]);
});

test('those that it reads are not', async () => {
  const theirs = { './.holt/config.json': '{"agents": ["mcp-json", "cursor"]}' };
  expect((await toldOf({ ...users, ...theirs })).map(({ message }) => message)).toEqual([
    'the settings of this project leave out agents that have files here: codex',
  ]);
});

test.each([
  ['have no files here', { './.holt/config.json': '{"agents": ["!cursor"]}' }],
  ['the user leaves out', { ...users, '~/.holt/config.json': '{"agents": ["!cursor"]}' }],
  [
    'the user leaves out as well',
    {
      ...users,
      '~/.holt/config.json': '{"agents": ["!cursor"]}',
      './.holt/config.json': '{"agents": ["!cursor"]}',
    },
  ],
])('nothing is told of those that %s', async (_which, files) => {
  expect(await toldOf(files)).toEqual([]);
});

test('whoever says which agents to read is told nothing', async () => {
  expect(await toldOf({ ...users, './.holt/config.json': '{"agents": ["mcp-json"]}' }, ['*'])).toEqual([]);
});
