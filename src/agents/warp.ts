/** Warp: `.warp/.mcp.json` of the user and of the project, under any of the usual wrapper keys or none. */

import { dig } from '../documents/tree.ts';
import type { AgentFormat, ConfigFile, Layer } from './agent-format.ts';
import { createWriter, sniffedMapAt } from './create-writer.ts';
import { homeFile, plainJson, projectFile } from './places.ts';
import { looksLikeEntry, mapLayer, sniffedLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';
import { noTypes, type ServerShape } from './server-shape.ts';

const shape: ServerShape = {
  dialect: 'warp',
  urls: [
    { key: 'url', untyped: 'http' },
    { key: 'serverUrl', untyped: 'http' },
  ],
  cwd: ['working_directory'],
  writes: { types: noTypes },
};

export const warp: AgentFormat = {
  id: 'warp',
  label: 'Warp',
  shape,
  combine: 'whole',
  locate: (machine) => [
    homeFile(machine, ['.warp', '.mcp.json'], { refuses: plainJson }),
    projectFile(machine, ['.warp', '.mcp.json'], { refuses: plainJson }),
  ],
  layer: warpLayer,
  read: (node, context) => readShape(node, shape, context),
  writer: createWriter({
    shape,
    files: { user: ['.warp/.mcp.json'], project: ['.warp/.mcp.json'] },
    container: sniffedMapAt([['mcpServers'], ['mcp_servers'], ['servers'], ['mcp', 'servers']]),
  }),
};

function warpLayer(file: ConfigFile): Layer {
  const sniffed = sniffedLayer(file, ['mcpServers', 'mcp_servers', 'servers']);
  const nested = dig(file.root, ['mcp', 'servers']);
  if (sniffed.entries.length > 0 || nested === undefined || looksLikeEntry(nested)) return sniffed;
  return mapLayer(file, ['mcp', 'servers']);
}
