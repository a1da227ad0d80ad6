/**
 * Cline: one `cline_mcp_settings.json` for all its editions, and older copies of it. An entry is flat or has
 * a `transport` object; a URL without a type means SSE. Its `oauth` contains live tokens and is never read.
 */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { AgentFormat, EntryContext } from './agent-format.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';
import { createWriter } from './create-writer.ts';
import { extensionFolders, homeFile, movedHome, plainJson, userFile } from './places.ts';
import { mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';

const shape: ServerShape = {
  dialect: 'env-prefix',
  urls: [{ key: 'url', untyped: 'sse' }],
  typeNames: { stdio: 'stdio', sse: 'sse', streamableHttp: 'http' },
  both: 'type-decides',
  off: { key: 'disabled', value: true },
  timeouts: [{ key: 'timeout', unit: 's', means: 'idle', least: 1 }],
  autoApprove: ['autoApprove'],
  oauth: { key: 'oauthClient', clientId: 'clientId', clientSecret: 'clientSecret' },
  writes: { types: { stdio: null, http: 'streamableHttp', sse: 'sse' } },
};

/** The old field for the type has an additional name for one transport. */
const oldShape: ServerShape = {
  ...shape,
  types: ['type', 'transportType'],
  typeNames: { ...shape.typeNames, http: 'http' },
};

const fileName = 'cline_mcp_settings.json';
export const cline: AgentFormat = {
  id: 'cline',
  label: 'Cline',
  shape,
  combine: 'whole',
  locate: (machine) => [
    homeFile(machine, ['Documents', 'Cline', 'MCP', fileName], { refuses: plainJson }),
    ...extensionFolders(machine, 'saoudrizwan.claude-dev').map((folder) =>
      userFile(machine.path.join(folder, 'settings', fileName), { refuses: plainJson }),
    ),
    userFile(mainFile(machine), { refuses: plainJson }),
  ],
  layer: (file) => mapLayer(file, ['mcpServers']),
  read: readClineEntry,
  writer: createWriter({ shape, files: { user: /./ } }),
};

function mainFile(machine: Machine): string {
  const given = machine.env['CLINE_MCP_SETTINGS_PATH'];
  if (given !== undefined && given !== '') return machine.path.resolve(machine.cwd, given);
  const moved = machine.env['CLINE_DATA_DIR'];
  const data =
    moved === undefined || moved === ''
      ? machine.path.join(movedHome(machine, 'CLINE_DIR', '.cline'), 'data')
      : machine.path.resolve(machine.cwd, moved);
  return machine.path.join(data, 'settings', fileName);
}

function readClineEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const transport = get(node, 'transport');
  const flat =
    transport?.kind === 'object' ? { ...node, entries: [...node.entries, ...transport.entries] } : node;
  return readShape(flat, get(flat, 'transportType') === undefined ? shape : oldShape, context);
}
