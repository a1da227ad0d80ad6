/**
 * Windsurf and its successor, Devin: the editor's `mcp_config.json` in the old and the new folders, and the
 * `config.json` in which the Devin command line used to store servers. A remote server has a `serverUrl` or a
 * `url`.
 */

import type { Machine } from '../kernel/machine.ts';
import type { AgentFormat } from './agent-format.ts';
import { createWriter } from './create-writer.ts';
import { appData, homeFile, localFile, plainJson, projectFile, userFile } from './places.ts';
import { mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';
import { commonTypes, type ServerShape } from './server-shape.ts';

const shape: ServerShape = {
  dialect: 'windsurf',
  urls: [
    { key: 'serverUrl', untyped: 'http' },
    { key: 'url', untyped: 'http' },
  ],
  types: ['transport', 'type'],
  typeNames: commonTypes,
  off: { key: 'disabled', value: true },
  exclude: ['disabledTools'],
  writes: { types: { stdio: null, http: null, sse: 'sse' }, noCwd: true },
};

export const windsurf: AgentFormat = {
  id: 'windsurf',
  label: 'Windsurf',
  shape,
  combine: 'whole',
  locate: (machine) => [
    homeFile(machine, ['.codeium', 'mcp_config.json'], { refuses: plainJson }),
    homeFile(machine, ['.codeium', 'windsurf-next', 'mcp_config.json'], { refuses: plainJson }),
    homeFile(machine, ['.codeium', 'windsurf', 'mcp_config.json'], { refuses: plainJson }),
    userFile(devinPath(machine, 'config.json')),
    userFile(devinPath(machine, 'mcp_config.json'), { refuses: plainJson }),
    projectFile(machine, ['.devin', 'config.json']),
    projectFile(machine, ['.devin', 'mcp_config.json'], { refuses: plainJson }),
    localFile(machine, ['.devin', 'config.local.json']),
    localFile(machine, ['.devin', 'mcp_config.local.json'], { refuses: plainJson }),
  ],
  layer: (file) => mapLayer(file, ['mcpServers']),
  read: (node, context) => readShape(node, shape, context),
  writer: createWriter({
    shape,
    files: {
      user: /^mcp_config\.json$/,
      project: ['.devin/mcp_config.json'],
      local: ['.devin/mcp_config.local.json'],
    },
  }),
};

function devinPath(machine: Machine, name: string): string {
  if (machine.os === 'windows') return appData(machine, 'devin', name);
  return machine.path.join(machine.homeDir, '.config', 'devin', name);
}
