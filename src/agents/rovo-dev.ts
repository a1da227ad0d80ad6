/**
 * Rovo Dev: `.rovodev/mcp.json` of the user and the project.
 * `config.yml` may move the user's file and switch servers off.
 */

import { dig } from '../documents/tree.ts';
import type { AgentFormat, ConfigFile, Location } from './agent-format.ts';
import { plainShape } from './agent-row.ts';
import { homeFile, projectFile, userFile } from './places.ts';
import { namesAt } from './server-list.ts';
import { mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';

export const rovoDev: AgentFormat = {
  id: 'rovo-dev',
  label: 'Rovo Dev',
  shape: plainShape,
  combine: 'whole',
  locate: (machine) => [
    homeFile(machine, ['.rovodev', 'config.yml'], { variant: 'settings' }),
    homeFile(machine, ['.rovodev', 'mcp_config.json']),
    homeFile(machine, ['.rovodev', 'mcp.json']),
    projectFile(machine, ['.rovodev', 'mcp.json']),
  ],
  follow: movedFile,
  layer: (file) => {
    if (file.location.variant !== 'settings') return mapLayer(file, ['mcpServers']);
    return { entries: [], switches: { off: namesAt(file.root, ['mcp', 'disabledMcpServers']) } };
  },
  read: (node, context) => readShape(node, plainShape, context),
};

function movedFile(file: ConfigFile): readonly Location[] {
  if (file.location.variant !== 'settings') return [];
  const written = dig(file.root, ['mcp', 'mcpConfigPath']);
  if (written?.kind !== 'string' || written.value === '') return [];
  const { path, homeDir } = file.machine;
  const plain = written.value.replace(/^~(?=[/\\]|$)/, homeDir);
  return [userFile(path.resolve(path.dirname(file.path), plain))];
}
