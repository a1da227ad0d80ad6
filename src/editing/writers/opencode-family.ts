/**
 * opencode, Kilo and Chimera's otter: servers under `mcp`, `local` or `remote`, with the command as one list.
 */

import { xdgConfig } from '../../agents/places.ts';
import { looksLikeEntry } from '../../agents/server-map.ts';
import type { Path } from '../../documents/edit-document.ts';
import { dig, get, type DocNode } from '../../documents/tree.ts';
import type { AgentId } from '../../kernel/agent-ids.ts';
import { startLimitOf } from '../../kernel/phases.ts';
import type { Spelling } from './spelling.ts';
import {
  firstExisting,
  inHome,
  inProject,
  readerOf,
  writerOfRow,
  type AgentWriter,
  type Places,
  type Shelf,
} from './target.ts';

const older: Spelling = {
  dialect: 'opencode',
  types: { stdio: 'local', http: 'remote', sse: 'remote' },
  command: 'list',
  words: { env: 'environment' },
  timeouts: [{ key: 'timeout', unit: 'ms', means: 'phases' }],
  oauth: {
    key: 'oauth',
    off: true,
    clientId: 'clientId',
    clientSecret: 'clientSecret',
    scopes: 'scope',
    scopesAs: 'text',
    callbackPort: 'callbackPort',
    redirectUri: 'redirectUri',
  },
  off: [{ key: 'enabled', value: false }],
};

/** For files with servers in `mcp.servers`. */
const newer: Spelling = {
  ...older,
  timeouts: [],
  oauth: {
    ...older.oauth,
    clientId: 'client_id',
    clientSecret: 'client_secret',
    callbackPort: 'callback_port',
    redirectUri: 'redirect_uri',
  },
  off: [{ key: 'disabled', value: true }],
  finish: (entry, { timeouts }) => {
    const { idleMs } = timeouts;
    const startMs = startLimitOf(timeouts);
    const limits = {
      ...(startMs === undefined ? {} : { startup: startMs }),
      ...(idleMs === undefined ? {} : { execution: idleMs }),
    };
    return Object.keys(limits).length === 0 ? entry : { ...entry, timeout: limits };
  },
};

function spellingAt(path: Path): Spelling {
  return path[1] === 'servers' && path.length > 1 ? newer : older;
}

function familyShelf(root: DocNode | undefined): Shelf {
  const servers = dig(root, ['mcp', 'servers']);
  const isNewer =
    servers?.kind === 'object' && !looksLikeEntry(servers) && get(servers, 'enabled')?.kind !== 'boolean';
  return { kind: 'map', paths: isNewer ? [['mcp', 'servers'], ['mcp']] : [['mcp']] };
}

function familyWriter(agent: AgentId, places: Places): AgentWriter {
  const row = writerOfRow({ agent, places, spelling: older });
  return {
    ...row,
    spellingAt: (path) => spellingAt(path.slice(0, -1)),
    target: (scope, look) => {
      const file = places[scope]?.(look);
      if (file === undefined) return undefined;
      return { file, format: 'json', reader: readerOf(agent), shelf: familyShelf, spellingAt };
    },
  };
}

export const opencodeFamily: readonly AgentWriter[] = [
  familyWriter('opencode', {
    user: (look) =>
      firstExisting(look, xdgConfig(look.machine, 'opencode'), [
        'opencode.json',
        'opencode.jsonc',
        'config.json',
      ]),
    project: inProject(
      'opencode.json',
      'opencode.jsonc',
      '.opencode/opencode.json',
      '.opencode/opencode.jsonc',
    ),
  }),
  familyWriter('kilo', {
    user: (look) =>
      firstExisting(look, xdgConfig(look.machine, 'kilo'), ['kilo.json', 'kilo.jsonc', 'config.json']),
    project: inProject('kilo.json', 'kilo.jsonc', '.kilo/kilo.json', '.kilo/kilo.jsonc'),
  }),
  writerOfRow({
    agent: 'chimera-otter',
    places: { user: inHome('.opencode/config.json'), project: inProject('.opencode/config.json') },
    keys: [['mcp']],
    spelling: {
      dialect: 'otter',
      // `remote` only means that there is a URL; its scheme determines the transport.
      types: { stdio: 'local', http: 'remote', sse: 'remote', ws: 'remote' },
      command: 'list',
      timeouts: [
        { key: 'timeout_ms', unit: 'ms', means: 'phases' },
        { key: 'timeout_ms', unit: 'ms', means: 'idle' },
      ],
      oauth: {
        key: 'oauth',
        clientId: 'client_id',
        clientSecret: 'client_secret',
        scopes: 'scope',
        scopesAs: 'text',
        issuer: 'issuer',
        tokenEndpoint: 'token_endpoint',
        deviceAuthorizationEndpoint: 'device_authorization_endpoint',
      },
      off: [{ key: 'enabled', value: false }],
    },
  }),
];
