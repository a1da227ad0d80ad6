/** holt and other agents with Claude's shape: `mcpServers`, `command` and `args`, a type for every URL. */

import { sameFolder } from '../../agents/claude-projects.ts';
import { ompHomeFile } from '../../agents/omp.ts';
import { movedHome } from '../../agents/places.ts';
import { get, type DocNode } from '../../documents/tree.ts';
import type { Machine } from '../../kernel/machine.ts';
import { schemaReference } from '../../settings/json-schema.ts';
import type { Spelling } from './spelling.ts';
import {
  inHome,
  inProject,
  mapShelf,
  readerOf,
  sniffedShelf,
  writerOfRow,
  writeScopes,
  type AgentWriter,
  type Look,
  type Shelf,
  type Target,
  type WriteScope,
} from './target.ts';

const holtSpelling: Spelling = {
  dialect: 'holt',
  types: { stdio: null, http: 'http', sse: 'sse', ws: 'ws' },
  own: ['auth', 'tls', 'inheritEnv', 'startIn', 'tools', 'timeouts'],
  oauth: {
    key: 'oauth',
    off: true,
    clientId: 'clientId',
    clientSecret: 'clientSecret',
    scopes: 'scopes',
    callbackPort: 'callbackPort',
    redirectUri: 'redirectUri',
    issuer: 'issuer',
    metadataUrl: 'authServerMetadataUrl',
    authorizationEndpoint: 'authorizationEndpoint',
    tokenEndpoint: 'tokenEndpoint',
    deviceAuthorizationEndpoint: 'deviceAuthorizationEndpoint',
    resource: 'resource',
    clientMetadataUrl: 'clientMetadataUrl',
    grant: 'grant',
    privateKey: 'privateKey',
    signingAlgorithm: 'signingAlgorithm',
    tokenEndpointAuthMethod: 'tokenEndpointAuthMethod',
    pkce: 'pkce',
  },
  off: [
    { key: 'enabled', value: false },
    { key: 'disabled', value: true },
  ],
};

export const claudeSpelling: Spelling = {
  dialect: 'claude',
  types: { stdio: null, http: 'http', sse: 'sse', ws: 'ws' },
  words: { cwd: null },
  timeouts: [{ key: 'timeout', unit: 'ms', means: 'idle', least: 1000 }],
  headersHelper: 'headersHelper',
  oauth: {
    key: 'oauth',
    clientId: 'clientId',
    callbackPort: 'callbackPort',
    metadataUrl: 'authServerMetadataUrl',
    scopes: 'scopes',
    scopesAs: 'text',
  },
};

const holtWriter: AgentWriter = {
  agent: 'holt',
  scopes: writeScopes,
  spellingAt: () => holtSpelling,
  target: (scope, look) => ({
    file: holtFile(scope, look),
    format: 'json',
    reader: readerOf('holt'),
    shelf: mapShelf([['mcpServers']]),
    spellingAt: () => holtSpelling,
    ...holtStart(scope, look),
  }),
};

/** A new file starts with the schema reference that editors look for. */
function holtStart(scope: WriteScope, look: Look): { readonly start?: string } {
  const schema = schemaReference('mcp', scope, look);
  return schema === undefined ? {} : { start: `{\n  "$schema": ${JSON.stringify(schema)}\n}\n` };
}

function holtFile(scope: WriteScope, look: Look): string {
  if (scope === 'user') return look.machine.path.join(look.machine.holtHome, 'mcp.json');
  return inProject(scope === 'project' ? '.holt/mcp.json' : '.holt/mcp.local.json')(look);
}

const claudeCodeWriter: AgentWriter = {
  agent: 'claude-code',
  scopes: writeScopes,
  spellingAt: () => claudeSpelling,
  target: (scope, look) => {
    if (scope === 'project') return sharedTarget(inProject('.mcp.json')(look), 'Claude Code');
    const { machine } = look;
    return {
      file: machine.path.join(movedHome(machine, 'CLAUDE_CONFIG_DIR'), '.claude.json'),
      format: 'json',
      reader: readerOf('claude-code'),
      shelf: scope === 'user' ? mapShelf([['mcpServers']]) : (root) => localShelf(root, machine),
      spellingAt: () => claudeSpelling,
    };
  },
};

/** Local servers are stored under the project's folder, however an earlier version spelled it. */
function localShelf(root: DocNode | undefined, machine: Machine): Shelf {
  const wanted = machine.inRepository ? machine.mainCheckout : machine.cwd;
  const projects = get(root, 'projects');
  const keys = projects?.kind === 'object' ? projects.entries.map(({ key }) => key) : [];
  const known = keys.filter((key) => sameFolder(key, wanted, machine)).toReversed();
  return {
    kind: 'map',
    paths: (known.length === 0 ? [wanted] : known).map((key) => ['projects', key, 'mcpServers']),
  };
}

/**
 * The shared `.mcp.json`. With `strictFor`, the name of an agent, only in the shape that the agent accepts.
 */
export function sharedTarget(file: string, strictFor?: string): Target {
  return {
    file,
    format: 'json',
    reader: readerOf('mcp-json'),
    shelf: (root) => sharedShelf(root, strictFor),
    spellingAt: () => claudeSpelling,
  };
}

/** Claude Code accepts only one of the possible shapes. */
function sharedShelf(root: DocNode | undefined, strictFor: string | undefined): Shelf {
  const shelf = sniffedShelf([['mcpServers'], ['servers'], ['mcp_servers']])(root);
  const isOwn = shelf.paths.some(([key]) => key === 'mcpServers');
  if (strictFor === undefined || isOwn) return shelf;
  const refusal = `it keeps servers in a way that ${strictFor} does not read: it takes only "mcpServers"`;
  return { ...shelf, refusal };
}

const mcpJsonWriter: AgentWriter = {
  agent: 'mcp-json',
  scopes: ['user', 'project'],
  spellingAt: () => claudeSpelling,
  target: (scope, look) =>
    sharedTarget((scope === 'user' ? inHome('.mcp.json') : inProject('.mcp.json', 'mcp.json'))(look)),
};

export const claudeFamily: readonly AgentWriter[] = [
  holtWriter,
  claudeCodeWriter,
  mcpJsonWriter,
  writerOfRow({
    agent: 'chimera-mink',
    places: {
      user: inHome('.claude/.mcp.json'),
      project: inProject('.claude/.mcp.json'),
      local: inProject('.claude/.mcp.local.json'),
    },
    keys: [['mcpServers'], ['servers']],
    spelling: {
      ...claudeSpelling,
      timeouts: [],
      words: {},
      off: [{ key: 'enabled', value: false }],
      finish: (entry, { timeouts: { phases = {} } }) => {
        const seconds = Object.entries(phases).map(([phase, ms]) => [phase, ms / 1000] as const);
        return seconds.length === 0 ? entry : { ...entry, phase_timeouts: Object.fromEntries(seconds) };
      },
    },
  }),
  writerOfRow({
    agent: 'omp',
    places: {
      user: ({ machine, files }) => {
        const beside = ompHomeFile(machine).path;
        if (files.exists(beside)) return beside;
        const own = readerOf('omp').locate(machine);
        return own.findLast(({ scope }) => scope === 'user')?.path ?? beside;
      },
      project: inProject('.omp/mcp.json'),
    },
    spelling: {
      dialect: 'omp',
      types: { stdio: null, http: 'http', sse: 'sse' },
      own: ['auth'],
      timeouts: [
        { key: 'timeout', unit: 'ms', means: 'phases' },
        { key: 'timeout', unit: 'ms', means: 'idle' },
      ],
      include: 'enabledTools',
      exclude: 'disabledTools',
      oauth: {
        key: 'oauth',
        clientId: 'clientId',
        clientSecret: 'clientSecret',
        scopes: 'scope',
        scopesAs: 'text',
        callbackPort: 'callbackPort',
        redirectUri: 'redirectUri',
      },
      off: [{ key: 'enabled', value: false }],
    },
  }),
];
