/** Command-line agents, each with a format of its own. */

import type { JsonMap } from '../../kernel/json.ts';
import { movedHome, xdgConfig } from '../../agents/places.ts';
import type { Spelling } from './spelling.ts';
import { claudeSpelling, sharedTarget } from './claude-family.ts';
import {
  inHome,
  inProject,
  sniffedShelf,
  whereAgentLooks,
  writerOfRow,
  type AgentWriter,
  type Look,
} from './target.ts';

const codex: Spelling = {
  dialect: 'none',
  types: { stdio: null, http: null },
  words: { headers: 'http_headers' },
  references: true,
  headersHelper: 'http_headers_helper',
  timeouts: [
    { key: 'startup_timeout_sec', unit: 's', means: 'start' },
    { key: 'tool_timeout_sec', unit: 's', means: 'idle' },
  ],
  include: 'enabled_tools',
  exclude: 'disabled_tools',
  oauth: { key: 'oauth', clientId: 'client_id', callbackPort: 'callback_port', outerScopes: 'scopes' },
  off: [{ key: 'enabled', value: false }],
  finish: (entry, { launch }) => {
    const resource = launch.kind === 'stdio' || launch.oauth === false ? undefined : launch.oauth?.resource;
    return resource === undefined ? entry : { ...entry, oauth_resource: resource };
  },
};

const geminiKin: Spelling = {
  dialect: 'gemini',
  types: { stdio: null, http: null, sse: 'sse' },
  // Old and new versions read this field the same way, but not a bare "url".
  urls: { http: 'httpUrl' },
  timeouts: [{ key: 'timeout', unit: 'ms', means: 'idle' }],
  include: 'includeTools',
  exclude: 'excludeTools',
  oauth: {
    key: 'oauth',
    clientId: 'clientId',
    clientSecret: 'clientSecret',
    scopes: 'scopes',
    redirectUri: 'redirectUri',
    authorizationEndpoint: 'authorizationUrl',
    tokenEndpoint: 'tokenUrl',
  },
};

/** Goose requires the switch in every entry, and the name a second time. */
const goose: Spelling = {
  dialect: 'goose',
  types: { stdio: 'stdio', http: 'streamable_http' },
  words: { command: 'cmd', env: 'envs', url: 'uri', cwd: null },
  timeouts: [{ key: 'timeout', unit: 's', means: 'idle' }],
  include: 'available_tools',
  off: [{ key: 'enabled', value: false }],
  finish: (entry, { enabled }, name): JsonMap => ({ name, ...entry, enabled }),
};

const copilot: Spelling = {
  dialect: 'copilot',
  types: { stdio: 'local', http: 'http', sse: 'sse' },
  timeouts: [{ key: 'timeout', unit: 'ms', means: 'idle' }],
  include: 'tools',
  exclude: 'excludeTools',
  oauth: { clientId: 'oauthClientId' },
};

const copilotRow = writerOfRow({
  agent: 'copilot-cli',
  places: {
    user: ({ machine }) =>
      machine.path.join(movedHome(machine, 'COPILOT_HOME', '.copilot'), 'mcp-config.json'),
    project: inProject('.github/mcp.json'),
  },
  spelling: copilot,
});

const copilotWriter: AgentWriter = {
  ...copilotRow,
  target: (scope, look) => {
    const shared = inProject('.mcp.json')(look);
    // Copilot ignores its own file when this one exists.
    if (scope === 'project' && look.files.exists(shared))
      return { ...sharedTarget(shared), spellingAt: () => claudeSpelling };
    const own = copilotRow.target(scope, look);
    return scope === 'user' || own === undefined ? own : { ...own, shelf: sniffedShelf([['mcpServers']]) };
  },
};

function crushFile(look: Look): string {
  const { machine } = look;
  const moved = machine.env['CRUSH_GLOBAL_CONFIG'];
  const folder =
    moved === undefined || moved === ''
      ? xdgConfig(machine, 'crush')
      : machine.path.resolve(machine.cwd, moved);
  return machine.path.join(folder, 'crush.json');
}

export const commandLines: readonly AgentWriter[] = [
  writerOfRow({
    agent: 'codex',
    places: {
      user: ({ machine }) => machine.path.join(movedHome(machine, 'CODEX_HOME', '.codex'), 'config.toml'),
      project: inProject('.codex/config.toml'),
    },
    keys: [['mcp_servers']],
    spelling: codex,
  }),
  writerOfRow({
    agent: 'gemini',
    places: {
      user: ({ machine }) =>
        machine.path.join(movedHome(machine, 'GEMINI_CLI_HOME'), '.gemini', 'settings.json'),
      project: inProject('.gemini/settings.json'),
    },
    spelling: geminiKin,
  }),
  writerOfRow({
    agent: 'qwen',
    places: {
      user: ({ machine }) => machine.path.join(movedHome(machine, 'QWEN_HOME', '.qwen'), 'settings.json'),
      project: inProject('.qwen/settings.json'),
    },
    spelling: {
      ...geminiKin,
      dialect: 'qwen',
      types: { stdio: null, http: null, sse: null },
      timeouts: [
        { key: 'discoveryTimeoutMs', unit: 'ms', means: 'start' },
        { key: 'timeout', unit: 'ms', means: 'idle' },
      ],
    },
  }),
  writerOfRow({
    agent: 'goose',
    places: { user: whereAgentLooks('goose', /./) },
    keys: [['extensions']],
    spelling: goose,
  }),
  writerOfRow({
    agent: 'amp',
    places: {
      // The file that the environment variable names may have any name.
      user: whereAgentLooks('amp', /./),
      project: inProject('.amp/settings.json', '.amp/settings.jsonc'),
    },
    keys: [['amp.mcpServers'], ['amp', 'mcpServers']],
    spelling: {
      dialect: 'amp',
      types: { stdio: null, http: null, sse: null },
      words: { cwd: null },
      include: 'includeTools',
      oauth: { key: 'oauth', clientId: 'clientId', clientSecret: 'clientSecret', scopes: 'scopes' },
      off: [{ key: 'disabled', value: true }],
    },
  }),
  copilotWriter,
  writerOfRow({
    agent: 'crush',
    places: { user: crushFile, project: inProject('crush.json', '.crush.json') },
    keys: [['mcp']],
    spelling: {
      dialect: 'crush',
      types: { stdio: 'stdio', http: 'http', sse: 'sse' },
      words: { cwd: null },
      timeouts: [{ key: 'timeout', unit: 's', means: 'start' }],
      include: 'enabled_tools',
      exclude: 'disabled_tools',
      oauth: {
        clientId: 'oauth_client_id',
        clientSecret: 'oauth_client_secret',
        callbackPort: 'oauth_callback_port',
      },
      off: [{ key: 'disabled', value: true }],
    },
  }),
  writerOfRow({
    agent: 'amazon-q',
    places: { user: inHome('.aws/amazonq/mcp.json'), project: inProject('.amazonq/mcp.json') },
    spelling: {
      dialect: 'amazon-q',
      types: { stdio: null, http: 'http' },
      words: { cwd: null },
      timeouts: [{ key: 'timeout', unit: 'ms', means: 'idle' }],
      oauth: { key: 'oauth', redirectUri: 'redirectUri', outerScopes: 'oauthScopes' },
      off: [{ key: 'disabled', value: true }],
    },
  }),
  writerOfRow({
    agent: 'factory-droid',
    places: { user: inHome('.factory/mcp.json'), project: inProject('.factory/mcp.json') },
    spelling: {
      dialect: 'factory',
      types: { stdio: 'stdio', http: 'http', sse: 'sse' },
      words: { cwd: null },
      timeouts: [{ key: 'timeoutMs', unit: 'ms', means: 'idle' }],
      include: 'enabledTools',
      exclude: 'disabledTools',
      oauth: {
        key: 'oauth',
        clientId: 'clientId',
        clientSecret: 'clientSecret',
        scopes: 'scopes',
        callbackPort: 'callbackPort',
        issuer: 'authorizationServerIssuer',
      },
      off: [{ key: 'disabled', value: true }],
    },
  }),
];
