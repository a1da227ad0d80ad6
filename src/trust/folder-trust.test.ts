import { describe, expect, test } from 'vitest';

import { makeMachine, memoryFiles } from '../../tests/support/agent-machine.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import { loadAgentTrust } from './folder-trust.ts';

const claude = (projects: object): Record<string, string> => ({
  '/home/ada/.claude.json': JSON.stringify({ projects }),
});
const codex = (text: string): Record<string, string> => ({ '/home/ada/.codex/config.toml': text });
const gemini = (rules: object): Record<string, string> => ({
  '/home/ada/.gemini/trustedFolders.json': JSON.stringify(rules),
});

const trustOf = (
  agent: AgentId,
  files: Record<string, string>,
  env: Record<string, string> = {},
): Promise<boolean> => {
  const machine = makeMachine({ env });
  return loadAgentTrust(agent, { machine, files: memoryFiles(machine, files) });
};

describe('T114: the user’s trust in this folder is known from the agent’s own file', () => {
  test.each<[string, AgentId, Record<string, string>, boolean]>([
    ['Claude Code, accepted', 'claude-code', claude({ '/srv/shop': { hasTrustDialogAccepted: true } }), true],
    ['Claude Code, above', 'claude-code', claude({ '/srv': { hasTrustDialogAccepted: true } }), true],
    [
      'Claude Code, elsewhere',
      'claude-code',
      claude({ '/srv/other': { hasTrustDialogAccepted: true } }),
      false,
    ],
    ['Claude Code, below', 'claude-code', claude({ '/srv/shop/x': { hasTrustDialogAccepted: true } }), false],
    [
      'Claude Code, not accepted',
      'claude-code',
      claude({ '/srv/shop': { hasTrustDialogAccepted: false } }),
      false,
    ],
    [
      'Claude Code, a string',
      'claude-code',
      claude({ '/srv/shop': { hasTrustDialogAccepted: 'true' } }),
      false,
    ],
    [
      'Claude Code, only a server approved',
      'claude-code',
      claude({ '/srv/shop': { enabledMcpjsonServers: ['x'] } }),
      false,
    ],
    ['Codex, trusted', 'codex', codex('[projects."/srv/shop"]\ntrust_level = "trusted"\n'), true],
    ['Codex, untrusted', 'codex', codex('[projects."/srv/shop"]\ntrust_level = "untrusted"\n'), false],
    ['Codex, above', 'codex', codex('[projects."/srv"]\ntrust_level = "trusted"\n'), false],
    ['Gemini, trusted', 'gemini', gemini({ '/srv/shop': 'TRUST_FOLDER' }), true],
    ['Gemini, above', 'gemini', gemini({ '/srv': 'TRUST_FOLDER' }), true],
    ['Gemini, by a neighbour', 'gemini', gemini({ '/srv/other': 'TRUST_PARENT' }), true],
    ['Gemini, not trusted', 'gemini', gemini({ '/srv': 'TRUST_FOLDER', '/srv/shop': 'DO_NOT_TRUST' }), false],
    [
      'an agent without such marks',
      'cursor',
      claude({ '/srv/shop': { hasTrustDialogAccepted: true } }),
      false,
    ],
    ['another agent’s mark', 'codex', claude({ '/srv/shop': { hasTrustDialogAccepted: true } }), false],
    ['a damaged file', 'claude-code', { '/home/ada/.claude.json': '{"projects"' }, false],
    ['no file', 'claude-code', {}, false],
  ])('%s', async (_case, agent, files, expected) => {
    expect(await trustOf(agent, files)).toBe(expected);
  });

  test('but not from a file in the project', async () => {
    const projects = { '/srv/shop': { hasTrustDialogAccepted: true } };
    const files = { '/srv/shop/.c/.claude.json': JSON.stringify({ projects }) };
    expect(await trustOf('claude-code', files, { CLAUDE_CONFIG_DIR: '/srv/shop/.c' })).toBe(false);
  });
});
