/**
 * Chimera's mink: Claude's fields in three scopes, under `mcpServers` or `servers`; entries replace each
 * other as a whole. It also reads the project's `.mcp.json`, which is shared (see mcp-json.ts).
 */

import { get } from '../documents/tree.ts';
import type { JsonMap } from '../kernel/json.ts';
import type { AgentFormat, ConfigFile, Layer } from './agent-format.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';
import { claudeShape } from './claude-entry.ts';
import { createWriter } from './create-writer.ts';
import { homeFile, localFile, projectFile } from './places.ts';
import { entriesOf, isObjectFile } from './server-map.ts';
import { readShape } from './read-shape.ts';

const shape: ServerShape = {
  ...claudeShape,
  urls: [{ key: 'url', untyped: 'http' }],
  types: ['type', 'transport'],
  typeNames: { ...claudeShape.typeNames, websocket: 'ws' },
  off: { key: 'enabled', value: false },
  timeouts: [],
  writes: { types: { stdio: null, http: 'http', sse: 'sse', ws: 'ws' }, finish: addPhases },
};

function addPhases(entry: JsonMap, { timeouts: { phases = {} } }: EntryReading): JsonMap {
  const seconds = Object.entries(phases).map(([phase, ms]) => [phase, ms / 1000] as const);
  return seconds.length === 0 ? entry : { ...entry, phase_timeouts: Object.fromEntries(seconds) };
}

export const chimeraMink: AgentFormat = {
  id: 'chimera-mink',
  label: 'Chimera mink',
  shape,
  combine: 'whole',
  locate: (machine) => [
    homeFile(machine, ['.claude', '.mcp.json']),
    homeFile(machine, ['.chimera', 'mcp.json']),
    projectFile(machine, ['.claude', '.mcp.json']),
    localFile(machine, ['.claude', '.mcp.local.json']),
  ],
  layer: minkLayer,
  read: (node, context) => readShape(node, shape, context),
  writer: createWriter({
    shape,
    files: {
      user: ['.claude/.mcp.json'],
      project: ['.claude/.mcp.json'],
      local: ['.claude/.mcp.local.json'],
    },
    keys: [['mcpServers'], ['servers']],
  }),
};

/** A file may have both keys. If both contain a name, the entry under `mcpServers` counts. */
function minkLayer(file: ConfigFile): Layer {
  if (!isObjectFile(file)) return { entries: [] };
  const current = entriesOf(file, get(file.root, 'mcpServers'), 'mcpServers');
  const legacy = entriesOf(file, get(file.root, 'servers'), 'servers');
  const names = new Set(current.map(({ name }) => name));
  const repeated = legacy.find(({ name }) => names.has(name));
  if (repeated !== undefined) {
    const { name, at } = repeated;
    const message = `"${name}" also stands under "mcpServers"; that one counts`;
    file.report({
      severity: 'warning',
      code: 'entry-duplicate',
      at,
      server: name,
      message,
      remedy: 'Remove one of them.',
    });
  }
  return { entries: [...legacy.filter(({ name }) => !names.has(name)), ...current] };
}
