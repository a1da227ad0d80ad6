/**
 * Agents that differ only in paths, keys and spelling: one row each.
 * Agents with special rules have their own files.
 */

import type { AgentFormat, ConfigFile, Layer } from './agent-format.ts';
import { agentOf, type AgentRow } from './agent-row.ts';
import { fx } from './fx.ts';
import { hermes } from './hermes.ts';
import { mistralVibe } from './mistral-vibe.ts';
import { openhands } from './openhands.ts';
import { desktopConfig, homeFile, localAppData, movedHome, projectFile, walkFiles } from './places.ts';
import { rovoDev } from './rovo-dev.ts';
import { listLayer, namesAt, sniffedSettings } from './server-list.ts';
import { mapLayer } from './server-map.ts';
import { noTypes } from './server-shape.ts';

const agentFiles = { each: /\.json$/, format: 'json' } as const;

const rows: readonly AgentRow[] = [
  {
    // The user's and the project's file, overridden by the servers of the command line's agents.
    id: 'amazon-q',
    label: 'Amazon Q',
    user: ['.aws/amazonq/mcp.json'],
    project: ['.amazonq/mcp.json'],
    more: (machine) => [
      homeFile(machine, ['.aws', 'amazonq', 'cli-agents'], agentFiles),
      projectFile(machine, ['.amazonq', 'cli-agents'], agentFiles),
    ],
    shape: {
      dialect: 'amazon-q',
      types: ['type'],
      typeNames: { stdio: 'stdio', http: 'http' },
      off: { key: 'disabled', value: true },
      timeouts: [{ key: 'timeout', unit: 'ms', means: 'idle' }],
      oauth: { key: 'oauth', redirectUri: 'redirectUri', outerScopes: 'oauthScopes' },
      writes: { types: { stdio: null, http: 'http' }, noCwd: true },
    },
  },
  {
    id: 'augment',
    label: 'Augment',
    user: ['.augment/settings.json'],
    project: ['.augment/settings.json'],
    local: ['.augment/settings.local.json'],
    shape: { off: { key: 'disabled', value: true }, oauth: { clientId: 'clientId' } },
  },
  {
    id: 'codearts',
    label: 'CodeArts',
    project: ['.codeartsdoer/mcp/mcp_settings.json'],
    shape: { types: ['transportType', 'type'] },
  },
  { id: 'codebuddy', label: 'CodeBuddy', user: ['.codebuddy/.mcp.json'], layer: codebuddyLayer },
  {
    id: 'command-code',
    label: 'Command Code',
    user: ['.commandcode/mcp.json'],
    shape: { types: ['transport', 'type'], off: { key: 'enabled', value: false } },
  },
  { id: 'cortex-code', label: 'Cortex Code', user: ['.snowflake/cortex/mcp.json'] },
  {
    id: 'deepagents',
    label: 'Deep Agents',
    user: ['.deepagents/.mcp.json'],
    project: ['.deepagents/.mcp.json'],
  },
  { id: 'enconvo', label: 'Enconvo', user: ['.config/enconvo/mcp_config.json'], layer: sniffedSettings },
  {
    id: 'grok-build',
    label: 'Grok Build',
    user: [(machine) => machine.path.join(movedHome(machine, 'GROK_HOME', '.grok'), 'config.toml')],
    project: ['.grok/config.toml'],
    key: ['mcp_servers'],
    shape: {
      dialect: 'grok',
      off: { key: 'enabled', value: false },
      timeouts: [
        { key: 'startup_timeout_sec', unit: 's', means: 'start' },
        { key: 'tool_timeout_sec', unit: 's', means: 'idle' },
      ],
    },
  },
  { id: 'iac-code', label: 'iac-code', user: ['.iac-code/settings.yml'], layer: sniffedSettings },
  {
    id: 'ibm-bob',
    label: 'IBM Bob',
    user: ['.bob/mcp.json'],
    project: ['.bob/mcp.json'],
    shape: {
      urls: [
        { key: 'httpURL', untyped: 'http' },
        { key: 'url', untyped: 'sse' },
      ],
      oauth: { clientId: 'clientId', clientSecret: 'clientSecret', scopes: 'scopes' },
    },
  },
  {
    id: 'kimi-code',
    label: 'Kimi Code',
    user: [(machine) => machine.path.join(movedHome(machine, 'KIMI_CODE_HOME', '.kimi-code'), 'mcp.json')],
    // Only the working folder's own file; the root's is the shared `.mcp.json`.
    more: (machine) => walkFiles(machine, ['.kimi-code', 'mcp.json']).slice(-1),
    shape: {
      types: ['transport', 'type'],
      off: { key: 'enabled', value: false },
      timeouts: [
        { key: 'startupTimeoutMs', unit: 'ms', means: 'start' },
        { key: 'toolTimeoutMs', unit: 'ms', means: 'idle' },
      ],
      include: ['enabledTools'],
      exclude: ['disabledTools'],
      bearerEnv: 'bearerTokenEnvVar',
    },
  },
  {
    // The plugin and the command line share these files.
    id: 'junie',
    label: 'Junie',
    user: ['.junie/mcp/mcp.json'],
    project: ['.junie/mcp/mcp.json'],
    shape: { writes: { types: noTypes, noCwd: true } },
    switch: 'elsewhere',
  },
  {
    // The user's and the project's file, overridden by the servers that agents define.
    id: 'kiro',
    label: 'Kiro',
    user: ['.kiro/settings/mcp.json'],
    project: ['.kiro/settings/mcp.json'],
    more: (machine) => [
      homeFile(machine, ['.kiro', 'agents'], agentFiles),
      projectFile(machine, ['.kiro', 'agents'], agentFiles),
    ],
    shape: {
      dialect: 'kiro',
      types: ['type'],
      off: { key: 'disabled', value: true },
      timeouts: [{ key: 'timeout', unit: 'ms', means: 'idle' }],
      exclude: ['disabledTools'],
      autoApprove: ['autoApprove'],
      oauth: {
        key: 'oauth',
        clientId: 'clientId',
        redirectUri: 'redirectUri',
        outerScopes: 'oauthScopes',
      },
      writes: { types: noTypes, noCwd: true },
    },
  },
  {
    // Cursor's format, without types, switches and placeholders.
    id: 'lm-studio',
    label: 'LM Studio',
    user: ['.cache/lm-studio/mcp.json', '.lmstudio/mcp.json'],
    shape: { writes: { types: noTypes, noCwd: true } },
    switch: 'elsewhere',
  },
  {
    id: 'mastra-code',
    label: 'Mastra Code',
    user: ['.mastracode/mcp.json'],
    project: ['.mastracode/mcp.json'],
  },
  {
    id: 'muse-code',
    label: 'Muse Code',
    user: ['.config/muse/settings.json'],
    key: ['mcp_servers'],
    shape: {
      types: ['transport'],
      typeNames: { stdio: 'stdio', streamable_http: 'http' },
      off: { key: 'enabled', value: false },
    },
  },
  {
    id: 'openclaw',
    label: 'OpenClaw',
    user: ['.openclaw/openclaw.json'],
    key: ['mcp', 'servers'],
    shape: { cwd: ['cwd', 'workingDirectory'] },
  },
  {
    id: 'qoder',
    label: 'Qoder',
    user: ['.qoder/settings.json'],
    project: ['.qoder/settings.json'],
    local: ['.qoder/settings.local.json'],
  },
  {
    id: 'reasonix',
    label: 'Reasonix',
    user: ['.reasonix/config.toml'],
    project: ['reasonix.toml'],
    layer: (file) => listLayer(file, ['plugins']),
    shape: {
      types: ['type'],
      timeouts: [
        { key: 'startup_timeout_seconds', unit: 's', means: 'start' },
        { key: 'call_timeout_seconds', unit: 's', means: 'idle' },
        { key: 'tool_timeout_seconds', unit: 's', means: 'idle', alias: true },
      ],
    },
  },
  {
    id: 'sema4',
    label: 'Sema4.ai Studio',
    user: [
      (machine) =>
        machine.os === 'windows'
          ? localAppData(machine, 'sema4ai', 'sema4ai-studio', 'mcp_servers.json')
          : machine.path.join(machine.homeDir, '.sema4ai', 'sema4ai-studio', 'mcp_servers.json'),
    ],
    shape: { types: ['transport', 'type'] },
  },
  {
    id: 'tabnine',
    label: 'Tabnine',
    user: ['.tabnine/agent/settings.json'],
    project: ['.tabnine/mcp_servers.json', '.tabnine/agent/settings.json'],
    shape: { include: ['includeTools'], exclude: ['excludeTools'] },
  },
  { id: 'tome', label: 'Tome', user: ['.tome/mcp_config.json'], layer: sniffedSettings },
  {
    id: 'trae',
    label: 'Trae',
    user: [
      (machine) => desktopConfig(machine, 'Trae CN', 'User', 'mcp.json'),
      (machine) => desktopConfig(machine, 'Trae', 'User', 'mcp.json'),
    ],
    project: ['.trae/mcp.json'],
  },
  {
    id: 'witsy',
    label: 'Witsy',
    user: [(machine) => desktopConfig(machine, 'Witsy', 'settings.json')],
    layer: sniffedSettings,
  },
  {
    id: 'zcode',
    label: 'ZCode',
    user: ['.zcode/cli/config.json'],
    project: ['.zcode/config.json'],
    key: ['mcp', 'servers'],
    shape: { off: { key: 'enable', value: false } },
  },
];

function codebuddyLayer(file: ConfigFile): Layer {
  return {
    ...mapLayer(file, ['mcpServers']),
    switches: { off: namesAt(file.root, ['disabledMcpServers']) },
  };
}

export const tableAgents: readonly AgentFormat[] = [
  ...rows.map(agentOf),
  fx,
  hermes,
  mistralVibe,
  openhands,
  rovoDev,
];
