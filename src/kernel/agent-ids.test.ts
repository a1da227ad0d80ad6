import { describe, expect, test } from 'vitest';

import { agentIdOf, agentIds } from './agent-ids.ts';

describe('an agent is found', () => {
  test.each(agentIds)('by its id %s', (id) => expect(agentIdOf(id)).toBe(id));

  test.each([
    ['claude', 'claude-code'],
    ['gemini-cli', 'gemini'],
    ['copilot', 'copilot-cli'],
    ['github-copilot', 'copilot-cli'],
    ['kilocode', 'kilo'],
    ['droid', 'factory-droid'],
    ['q', 'amazon-q'],
    ['kiro-cli', 'kiro'],
    ['VSCode', 'vscode'],
    ['grok', 'grok-build'],
    ['auggie', 'augment'],
    ['oh-my-pi', 'omp'],
    ['qwen-code', 'qwen'],
  ])('by the name that people type: %s', (word, id) => expect(agentIdOf(word)).toBe(id));

  // Its `github-copilot` means VS Code; here it is the command line.
  test.each([
    ['antigravity', 'antigravity'],
    ['cline', 'cline'],
    ['cline-cli', 'cline'],
    ['cline-vscode', 'cline'],
    ['claude-code', 'claude-code'],
    ['claude-desktop', 'claude-desktop'],
    ['codex', 'codex'],
    ['cursor', 'cursor'],
    ['fx', 'fx'],
    ['gemini-cli', 'gemini'],
    ['gemini', 'gemini'],
    ['goose', 'goose'],
    ['github-copilot-cli', 'copilot-cli'],
    ['grok-build', 'grok-build'],
    ['kilo-code', 'kilo'],
    ['kilo', 'kilo'],
    ['kilocode', 'kilo'],
    ['kimi-code', 'kimi-code'],
    ['kimi', 'kimi-code'],
    ['kiro-cli', 'kiro'],
    ['kiro', 'kiro'],
    ['mastracode', 'mastra-code'],
    ['mastra', 'mastra-code'],
    ['mcporter', 'mcporter'],
    ['opencode', 'opencode'],
    ['pi', 'pi'],
    ['pi-agent', 'pi'],
    ['vscode', 'vscode'],
    ['windsurf', 'windsurf'],
    ['codeium', 'windsurf'],
    ['cascade', 'windsurf'],
    ['zed', 'zed'],
  ])('by the name that add-mcp 2.4.0 uses: %s', (word, id) => expect(agentIdOf(word)).toBe(id));

  test.each([
    ['CLAUDE-Code', 'claude-code'],
    ['Claude Code', 'claude-code'],
    ['VS Code', 'vscode'],
    ['gemini_cli', 'gemini'],
    [' Kiro-CLI ', 'kiro'],
  ])('in any case, with blanks or underscores: %j', (word, id) => expect(agentIdOf(word)).toBe(id));
});

test.each(['', 'nobody', 'constructor', '__proto__', 'claude-codes'])('%j is no agent', (word) =>
  expect(agentIdOf(word)).toBeUndefined(),
);
