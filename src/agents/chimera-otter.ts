/**
 * Chimera's otter: opencode's folders with its own files. `config.json` has servers under `mcp`; `mcp.json`
 * beside it may also have them under `mcpServers` or at the top level. A project's entry replaces the user's
 * as a whole.
 */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { AgentFormat, EntryContext } from './agent-format.ts';
import { commonTypes, type EntryReading, type ServerShape } from './server-shape.ts';
import { createWriter } from './create-writer.ts';
import { homeFile, projectFile } from './places.ts';
import { renameKeys, setKey } from './reshape.ts';
import { mapLayer, sniffedLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';

const shape: ServerShape = {
  dialect: 'otter',
  typeNames: { ...commonTypes, local: 'stdio', remote: 'http', ws: 'ws', websocket: 'ws' },
  off: { key: 'enabled', value: false },
  // Chimera's otter applies this limit to each step of a start and to each call.
  timeouts: [
    { key: 'timeout_ms', unit: 'ms', means: 'phases', least: 1 },
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
  commandAs: 'list',
  writes: {
    // `remote` only means that there is a URL; its scheme determines the transport.
    types: { stdio: 'local', http: 'remote', sse: 'remote', ws: 'remote' },
  },
};

export const chimeraOtter: AgentFormat = {
  id: 'chimera-otter',
  label: 'Chimera otter',
  shape,
  combine: 'whole',
  locate: (machine) => [
    homeFile(machine, ['.opencode', 'config.json']),
    projectFile(machine, ['.opencode', 'config.json']),
    projectFile(machine, ['.opencode', 'mcp.json'], { variant: 'dedicated' }),
  ],
  layer: (file) =>
    file.location.variant === 'dedicated'
      ? sniffedLayer(file, ['mcp', 'mcpServers'])
      : mapLayer(file, ['mcp']),
  read: readOtterEntry,
  writer: createWriter({
    shape,
    files: { user: ['.opencode/config.json'], project: ['.opencode/config.json'] },
    keys: [['mcp']],
  }),
};

const otherOAuth = {
  device_auth_url: 'device_authorization_endpoint',
  token_url: 'token_endpoint',
  scopes: 'scope',
};

function readOtterEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const oauth = get(node, 'oauth');
  const spelled = oauth?.kind === 'object' ? setKey(node, 'oauth', renameKeys(oauth, otherOAuth)) : node;
  return readShape(spelled, remoteByScheme(spelled), context);
}

/** `remote` means only that there is a URL; the URL's scheme determines the transport. */
function remoteByScheme(node: ObjectNode): ServerShape {
  const url = get(node, 'url');
  if (url?.kind !== 'string' || !/^\s*wss?:/i.test(url.value)) return shape;
  return { ...shape, typeNames: { ...shape.typeNames, remote: 'ws' } };
}
