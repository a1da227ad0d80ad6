import { describe, expect, test } from 'vitest';

import { makeMachine, memoryFiles, type AgentCase } from '../../tests/support/agent-machine.ts';
import { allAgents } from '../agents/all-agents.ts';
import { parseJson } from '../documents/json.ts';
import { agentIds, type AgentId } from '../kernel/agent-ids.ts';
import { locationOf } from './entries/read-back.ts';
import { findTarget, writableAgents, writerOf, writeScopes, type WriteScope } from './writers.ts';

const targetIn = (agent: AgentId, scope: WriteScope, agentCase: Partial<AgentCase> = {}) => {
  const machine = makeMachine(agentCase);
  return findTarget(agent, scope, { machine, files: memoryFiles(machine, agentCase.files ?? {}) });
};
const fileIn = (agent: AgentId, scope: WriteScope, ...existing: readonly string[]): string =>
  targetIn(agent, scope, { files: Object.fromEntries(existing.map((name) => [name, '{}'])) }).file;
const root = (value: unknown) => {
  const document = parseJson(JSON.stringify(value), { bom: false, utf16: false });
  return document.ok ? document.root : undefined;
};

const home = '/home/ada';
const project = '/srv/shop';

describe('where a new entry goes', () => {
  test.each<[AgentId, WriteScope, string]>([
    ['holt', 'user', `${home}/.holt/mcp.json`],
    ['holt', 'project', `${project}/.holt/mcp.json`],
    ['holt', 'local', `${project}/.holt/mcp.local.json`],
    ['claude-code', 'user', `${home}/.claude.json`],
    ['claude-code', 'local', `${home}/.claude.json`],
    ['claude-code', 'project', `${project}/.mcp.json`],
    ['chimera-otter', 'user', `${home}/.opencode/config.json`],
    ['chimera-otter', 'project', `${project}/.opencode/config.json`],
    ['opencode', 'user', `${home}/.config/opencode/opencode.json`],
    ['opencode', 'project', `${project}/opencode.json`],
    ['omp', 'user', `${home}/.omp/agent/mcp.json`],
    ['omp', 'project', `${project}/.omp/mcp.json`],
    ['cursor', 'user', `${home}/.cursor/mcp.json`],
    ['cursor', 'project', `${project}/.cursor/mcp.json`],
    ['vscode', 'user', `${home}/.config/Code/User/mcp.json`],
    ['vscode', 'project', `${project}/.vscode/mcp.json`],
    ['codex', 'user', `${home}/.codex/config.toml`],
    ['codex', 'project', `${project}/.codex/config.toml`],
    ['gemini', 'user', `${home}/.gemini/settings.json`],
    ['gemini', 'project', `${project}/.gemini/settings.json`],
    ['windsurf', 'user', `${home}/.config/devin/mcp_config.json`],
    ['windsurf', 'project', `${project}/.devin/mcp_config.json`],
    ['windsurf', 'local', `${project}/.devin/mcp_config.local.json`],
    ['zed', 'user', `${home}/.config/zed/settings.json`],
    ['zed', 'project', `${project}/.zed/settings.json`],
    ['cline', 'user', `${home}/.cline/data/settings/cline_mcp_settings.json`],
    [
      'roo',
      'user',
      `${home}/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json`,
    ],
    ['roo', 'project', `${project}/.roo/mcp.json`],
    ['goose', 'user', `${home}/.config/goose/config.yaml`],
    ['continue', 'user', `${home}/.continue/mcpServers/mcp.json`],
    ['continue', 'project', `${project}/.continue/mcpServers/mcp.json`],
    ['amp', 'user', `${home}/.config/amp/settings.json`],
    ['amp', 'project', `${project}/.amp/settings.json`],
    ['copilot-cli', 'user', `${home}/.copilot/mcp-config.json`],
    ['copilot-cli', 'project', `${project}/.github/mcp.json`],
    ['kiro', 'user', `${home}/.kiro/settings/mcp.json`],
    ['kiro', 'project', `${project}/.kiro/settings/mcp.json`],
  ])('%s, %s scope: %s', (agent, scope, file) => {
    expect(fileIn(agent, scope)).toBe(file);
  });

  test('oh-my-pi: the user’s file beside its folder, where there is one', () => {
    expect(fileIn('omp', 'user', '~/.omp/mcp.json')).toBe(`${home}/.omp/mcp.json`);
    expect(fileIn('omp', 'user', '~/.omp/agent/.mcp.json')).toBe(`${home}/.omp/agent/mcp.json`);
  });

  test('mink: always the same file of the user', () => {
    expect(fileIn('chimera-mink', 'user')).toBe(`${home}/.claude/.mcp.json`);
    expect(fileIn('chimera-mink', 'user', '~/.chimera/mcp.json')).toBe(`${home}/.claude/.mcp.json`);
  });

  test('opencode: the existing file of four, in this order', () => {
    const choices = [
      'opencode.json',
      'opencode.jsonc',
      '.opencode/opencode.json',
      '.opencode/opencode.jsonc',
    ];
    const chosen = choices.map((_, index) =>
      fileIn('opencode', 'project', ...choices.slice(index).map((name) => `./${name}`)),
    );
    expect(chosen).toEqual(choices.map((name) => `${project}/${name}`));
  });

  test('an existing file of the user is preferred to a new one, then an existing folder', () => {
    expect(fileIn('vscode', 'user', '~/.config/VSCodium/User/mcp.json')).toBe(
      `${home}/.config/VSCodium/User/mcp.json`,
    );
    expect(fileIn('vscode', 'user', '~/.config/Code - Insiders/User')).toBe(
      `${home}/.config/Code - Insiders/User/mcp.json`,
    );
    expect(fileIn('windsurf', 'user', '~/.codeium/windsurf/mcp_config.json')).toBe(
      `${home}/.codeium/windsurf/mcp_config.json`,
    );
    expect(fileIn('amp', 'user', '~/.config/amp/settings.jsonc')).toBe(`${home}/.config/amp/settings.jsonc`);
    expect(fileIn('zed', 'user', '~/.config/zed/global_settings.json')).toBe(
      `${home}/.config/zed/settings.json`,
    );
  });

  test('Copilot: the shared file where it would hide its own', () => {
    expect(fileIn('copilot-cli', 'project', './.mcp.json')).toBe(`${project}/.mcp.json`);
  });

  test('Continue: its list when there is one; a new one would switch off the older file', () => {
    expect(fileIn('continue', 'user', '~/.continue/config.yaml')).toBe(`${home}/.continue/config.yaml`);
    expect(fileIn('continue', 'user', '~/.continue/config.json')).toBe(
      `${home}/.continue/mcpServers/mcp.json`,
    );
  });

  test('variables that move an agent move what is written for it', () => {
    const env = {
      AMP_SETTINGS_FILE: '/data/amp-settings',
      CODEX_HOME: '/data/codex',
      XDG_CONFIG_HOME: '/data/xdg',
      CLAUDE_CONFIG_DIR: '/data/claude',
    };
    const files = (['amp', 'codex', 'opencode', 'claude-code'] as const).map(
      (agent) => targetIn(agent, 'user', { env }).file,
    );
    expect(files).toEqual([
      '/data/amp-settings',
      '/data/codex/config.toml',
      '/data/xdg/opencode/opencode.json',
      '/data/claude/.claude.json',
    ]);
  });

  test('on Windows paths are those of Windows', () => {
    expect([
      targetIn('vscode', 'user', { os: 'windows' }).file,
      targetIn('zed', 'user', { os: 'windows' }).file,
    ]).toEqual([
      'C:\\Users\\Ada\\AppData\\Roaming\\Code\\User\\mcp.json',
      'C:\\Users\\Ada\\AppData\\Roaming\\Zed\\settings.json',
    ]);
  });

  test('in the home folder there is no project: everything is the user’s', () => {
    const target = targetIn('holt', 'project', { projectRoot: home });
    expect([target.file, target.scope]).toEqual([`${home}/.holt/mcp.json`, 'user']);
  });

  test('every file that is written is one the agent reads, in the scope that was asked for', () => {
    const wrong = writableAgents.flatMap((agent) =>
      (writerOf(agent)?.scopes ?? []).flatMap((scope) => {
        const target = targetIn(agent, scope);
        const location = locationOf(target, makeMachine());
        // Claude keeps local servers in the user's file.
        const expected = agent === 'claude-code' && scope === 'local' ? 'user' : scope;
        return location?.scope === expected ? [] : [`${agent} ${scope}: ${location?.scope}`];
      }),
    );
    expect(wrong).toEqual([]);
  });
});

describe('what cannot be written', () => {
  test('an agent whose files holt only reads', () => {
    expect(() => targetIn('hermes', 'user')).toThrow(
      expect.objectContaining({
        code: 'agent-not-writable',
        message: 'holt reads the files of hermes and does not write them',
        details: { agent: 'hermes', writable: writableAgents },
      }),
    );
  });

  test('a scope the agent does not have', () => {
    expect(() => targetIn('goose', 'project')).toThrow(
      expect.objectContaining({
        code: 'scope-unavailable',
        message: 'goose has no project scope',
        details: { agent: 'goose', scope: 'project', scopes: ['user'] },
        remedy: 'It has user: use --scope user.',
      }),
    );
  });

  test('every writer is for an agent that is read, once', () => {
    expect(writableAgents.filter((agent) => !agentIds.includes(agent))).toEqual([]);
    expect(new Set(writableAgents).size).toBe(writableAgents.length);
    expect(allAgents.filter(({ id }) => writableAgents.includes(id)).length).toBe(writableAgents.length);
    expect(
      writableAgents.every((agent) => writerOf(agent)?.scopes.every((scope) => writeScopes.includes(scope))),
    ).toBe(true);
  });
});

describe('the map of servers in the file', () => {
  const paths = (agent: AgentId, scope: WriteScope, content: unknown, agentCase: Partial<AgentCase> = {}) =>
    targetIn(agent, scope, agentCase).container(root(content));

  test('the usual key when nothing is there', () => {
    expect(paths('cursor', 'user', {})).toEqual({ kind: 'map', paths: [['mcpServers']] });
    expect(paths('vscode', 'user', {})).toEqual({ kind: 'map', paths: [['servers']] });
    expect(paths('amp', 'user', {})).toEqual({ kind: 'map', paths: [['amp.mcpServers']] });
  });

  test('the other spelling when that is the one in use', () => {
    expect(paths('amp', 'user', { amp: { mcpServers: {} } }).paths).toEqual([['amp', 'mcpServers']]);
    expect(paths('chimera-mink', 'user', { servers: {} }).paths).toEqual([['servers']]);
  });

  test('opencode’s newer map, but not a server that is called servers', () => {
    expect(paths('opencode', 'user', { mcp: { servers: { a: { type: 'local' } } } }).paths).toEqual([
      ['mcp', 'servers'],
      ['mcp'],
    ]);
    expect(paths('opencode', 'user', { mcp: { servers: { type: 'local', command: ['x'] } } }).paths).toEqual([
      ['mcp'],
    ]);
  });

  test('Claude’s local servers under the root of the repository', () => {
    expect(paths('claude-code', 'local', {}, { cwd: 'src' }).paths).toEqual([
      ['projects', project, 'mcpServers'],
    ]);
    expect(paths('claude-code', 'local', {}, { mainCheckout: '/srv/main' }).paths).toEqual([
      ['projects', '/srv/main', 'mcpServers'],
    ]);
  });

  test('T15: on Windows a project’s key is found however it is spelled, and not written twice', () => {
    const content = { projects: { 'd:/SRC/shop': { mcpServers: {} } } };
    expect(paths('claude-code', 'local', content, { os: 'windows' }).paths).toEqual([
      ['projects', 'd:/SRC/shop', 'mcpServers'],
    ]);
    expect(paths('claude-code', 'local', { projects: { '/SRV/shop': {} } }).paths).toEqual([
      ['projects', project, 'mcpServers'],
    ]);
  });

  test('the shared file keeps its shape: a new key would hide what is there', () => {
    expect(paths('mcp-json', 'project', { servers: { a: { command: 'x' } } })).toEqual({
      kind: 'map',
      paths: [['servers']],
    });
    expect(paths('mcp-json', 'project', { a: { command: 'x' } })).toEqual({ kind: 'map', paths: [[]] });
    const refusal = 'it keeps servers in a way that Claude Code does not read: it takes only "mcpServers"';
    expect(paths('claude-code', 'project', { a: { command: 'x' } }).refusal).toBe(refusal);
    expect(paths('claude-code', 'project', { servers: { a: { command: 'x' } } }).refusal).toBe(refusal);
    expect(paths('claude-code', 'project', { mcpServers: {}, servers: {} }).refusal).toBeUndefined();
  });
});
