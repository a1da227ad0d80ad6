/** What a project's own settings leave out of its own files is reported; what is the user's stays. */

import { expect, test } from 'vitest';

import { makeMachine, memoryFiles, type AgentCase } from '../../tests/support/agent-machine.ts';
import { alwaysSaying } from '../../tests/support/sample-servers.ts';
import type { Problem } from '../kernel/problems.ts';
import { loadRoster, type Roster } from './load-roster.ts';

const files = {
  '~/.cursor/mcp.json': '{"mcpServers": {"users": {"command": "run"}}}',
  './.cursor/mcp.json': '{"mcpServers": {"both": {"command": "of-cursor"}}}',
  './.codex/config.toml': '[mcp_servers.both]\ncommand = "of-codex"\n',
};

function load(more: AgentCase['files'], agents?: readonly string[]): Promise<Roster> {
  const machine = makeMachine();
  const parts = { machine, files: memoryFiles(machine, { ...files, ...more }), identity: undefined };
  return loadRoster({ agents }, { ...parts, approvals: alwaysSaying('approved') });
}

const names = ({ servers }: Roster): readonly string[] =>
  servers.map(({ ref, definition }) => `${ref}@${definition.origin.agent}`);
const leftOut = ({ problems }: Roster): readonly Problem[] =>
  problems.filter(({ code }) => code === 'agents-left-out');

test('T124: a project excludes its own files of an agent, and none of the user’s', async () => {
  const roster = await load({ './.holt/config.json': '{\n"agents": ["!cursor", "*"]}' });
  expect(names(roster)).toEqual(['both@codex', 'users@cursor']);
  expect(leftOut(roster)).toEqual([
    {
      severity: 'warning',
      code: 'agents-left-out',
      file: '/srv/shop/.holt/config.json',
      line: 2,
      column: 1,
      message: 'the settings of this project leave out its own files of these agents: cursor',
      remedy: 'HOLT_AGENTS="*" in the environment reads them all the same.',
    },
  ]);
});

test.each([
  ['its own order', '["cursor", "codex"]', 'both@cursor'],
  ['the usual order', '["codex", "cursor"]', 'both@codex'],
])('T124: a project ranks the agents among its own servers: %s', async (_which, agents, expected) => {
  const roster = await load({ './.holt/config.local.json': `{"agents": ${agents}}` });
  expect(names(roster)).toEqual([expected, 'users@cursor']);
  expect(leftOut(roster)).toEqual([]);
});

test('T124: a project does not rank the user’s own servers', async () => {
  const users = {
    '~/.codex/config.toml': '[mcp_servers.one]\ncommand = "of-codex"\n',
    '~/.cursor/mcp.json': '{"mcpServers": {"one": {"command": "of-cursor"}}}',
  };
  for (const agents of ['["cursor", "*"]', '["cursor"]', '["!codex"]', '[]'])
    expect(names(await load({ ...users, './.holt/config.json': `{"agents": ${agents}}` }))).toContain(
      'one@codex',
    );
});

test.each([
  ['has no files in the project', { './.holt/config.json': '{"agents": ["!zed"]}' }],
  ['the user leaves out', { '~/.holt/config.json': '{"agents": ["!cursor"]}' }],
  [
    'the user leaves out as well',
    {
      '~/.holt/config.json': '{"agents": ["!cursor"]}',
      './.holt/config.json': '{"agents": ["!cursor"]}',
    },
  ],
])('nothing is reported about an agent that %s', async (_which, more) => {
  expect(leftOut(await load(more))).toEqual([]);
});

test('nothing is reported when the caller chooses the agents', async () => {
  const roster = await load({ './.holt/config.json': '{"agents": ["mcp-json"]}' }, ['cursor']);
  expect([names(roster), leftOut(roster)]).toEqual([['both@cursor', 'users@cursor'], []]);
});
