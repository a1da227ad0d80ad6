/** Editors, their extensions and desktop programs. Most of them have one map of servers in a JSON file. */

import { inHome, inProject, sniffedShelf, whereAgentLooks, writerOfRow, type AgentWriter } from './target.ts';
import type { Spelling } from './spelling.ts';

/** Only a program or a URL; the agent determines everything else. */
const plain: Spelling = {
  dialect: 'none',
  types: { stdio: null, http: null, sse: null },
  words: { cwd: null },
};

export const editors: readonly AgentWriter[] = [
  writerOfRow({
    agent: 'cursor',
    places: { user: inHome('.cursor/mcp.json'), project: inProject('.cursor/mcp.json') },
    spelling: {
      ...plain,
      dialect: 'cursor',
      oauth: { key: 'auth', clientId: 'CLIENT_ID', clientSecret: 'CLIENT_SECRET', scopes: 'scopes' },
    },
  }),
  writerOfRow({
    agent: 'vscode',
    places: { user: whereAgentLooks('vscode', /^mcp\.json$/), project: inProject('.vscode/mcp.json') },
    keys: [['servers']],
    spelling: {
      dialect: 'vscode',
      types: { stdio: 'stdio', http: 'http', sse: 'sse' },
      oauth: { key: 'oauth', clientId: 'clientId' },
    },
  }),
  writerOfRow({
    agent: 'windsurf',
    places: {
      user: whereAgentLooks('windsurf', /^mcp_config\.json$/),
      project: inProject('.devin/mcp_config.json'),
      local: inProject('.devin/mcp_config.local.json'),
    },
    spelling: {
      dialect: 'windsurf',
      typeKey: 'transport',
      types: { stdio: null, http: null, sse: 'sse' },
      words: { url: 'serverUrl', cwd: null },
      exclude: 'disabledTools',
      off: [{ key: 'disabled', value: true }],
    },
  }),
  writerOfRow({
    agent: 'zed',
    places: { user: whereAgentLooks('zed', /^settings\.json$/), project: inProject('.zed/settings.json') },
    keys: [['context_servers']],
    spelling: {
      dialect: 'none',
      types: { stdio: null, http: null },
      words: { cwd: null },
      timeouts: [{ key: 'timeout', unit: 's', means: 'idle' }],
      oauth: { key: 'oauth', clientId: 'client_id', clientSecret: 'client_secret' },
      off: [{ key: 'enabled', value: false }],
    },
  }),
  writerOfRow({
    agent: 'cline',
    places: { user: whereAgentLooks('cline', /./) },
    spelling: {
      dialect: 'env-prefix',
      types: { stdio: null, http: 'streamableHttp', sse: 'sse' },
      timeouts: [{ key: 'timeout', unit: 's', means: 'idle', least: 1 }],
      autoApprove: 'autoApprove',
      oauth: { key: 'oauthClient', clientId: 'clientId', clientSecret: 'clientSecret' },
      off: [{ key: 'disabled', value: true }],
    },
  }),
  writerOfRow({
    agent: 'roo',
    places: { user: whereAgentLooks('roo', /./), project: inProject('.roo/mcp.json') },
    spelling: {
      dialect: 'roo',
      types: { stdio: null, http: 'streamable-http', sse: 'sse' },
      timeouts: [{ key: 'timeout', unit: 's', means: 'idle', least: 1 }],
      exclude: 'disabledTools',
      autoApprove: 'alwaysAllow',
      off: [{ key: 'disabled', value: true }],
    },
  }),
  writerOfRow({
    agent: 'kiro',
    places: { user: inHome('.kiro/settings/mcp.json'), project: inProject('.kiro/settings/mcp.json') },
    spelling: {
      ...plain,
      dialect: 'kiro',
      timeouts: [{ key: 'timeout', unit: 'ms', means: 'idle' }],
      exclude: 'disabledTools',
      autoApprove: 'autoApprove',
      oauth: { key: 'oauth', clientId: 'clientId', redirectUri: 'redirectUri', outerScopes: 'oauthScopes' },
      off: [{ key: 'disabled', value: true }],
    },
  }),
  writerOfRow({
    agent: 'antigravity',
    places: {
      user: inHome('.gemini/config/mcp_config.json', '.gemini/antigravity/mcp_config.json'),
      project: inProject('.agents/mcp_config.json', '.agent/mcp_config.json'),
    },
    spelling: {
      ...plain,
      words: { url: 'serverUrl', cwd: null },
      exclude: 'disabledTools',
      oauth: { key: 'oauth', clientId: 'clientId', clientSecret: 'clientSecret' },
      off: [{ key: 'disabled', value: true }],
    },
  }),
  writerOfRow({
    agent: 'claude-desktop',
    places: { user: whereAgentLooks('claude-desktop', /./) },
    spelling: { ...plain, types: { stdio: null } },
  }),
  writerOfRow({
    agent: 'lm-studio',
    places: { user: inHome('.lmstudio/mcp.json', '.cache/lm-studio/mcp.json') },
    spelling: plain,
  }),
  writerOfRow({
    agent: 'junie',
    places: { user: inHome('.junie/mcp/mcp.json'), project: inProject('.junie/mcp/mcp.json') },
    spelling: plain,
  }),
  writerOfRow({
    agent: 'warp',
    places: { user: inHome('.warp/.mcp.json'), project: inProject('.warp/.mcp.json') },
    shelf: sniffedShelf([['mcpServers'], ['mcp_servers'], ['servers'], ['mcp', 'servers']]),
    spelling: { ...plain, dialect: 'warp', words: { cwd: 'working_directory' } },
  }),
];
