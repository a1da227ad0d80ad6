/**
 * Roo Code: `mcp_settings.json` in the extension's folder of each editor, `.roo/mcp.json` in the project.
 * A URL needs a type, and an entry with both a command and a URL is refused.
 */

import type { AgentFormat } from './agent-format.ts';
import { createWriter } from './create-writer.ts';
import { extensionFolders, plainJson, projectFile, userFile } from './places.ts';
import { mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';
import type { ServerShape } from './server-shape.ts';

const shape: ServerShape = {
  dialect: 'roo',
  urls: [{ key: 'url', untyped: { refusedAs: 'refuses a URL without "type"' } }],
  typeNames: { stdio: 'stdio', sse: 'sse', 'streamable-http': 'http' },
  off: { key: 'disabled', value: true },
  timeouts: [{ key: 'timeout', unit: 's', means: 'idle', least: 1 }],
  exclude: ['disabledTools'],
  autoApprove: ['alwaysAllow'],
  writes: { types: { stdio: null, http: 'streamable-http', sse: 'sse' } },
};

export const roo: AgentFormat = {
  id: 'roo',
  label: 'Roo Code',
  shape,
  combine: 'whole',
  locate: (machine) => [
    ...extensionFolders(machine, 'rooveterinaryinc.roo-cline').map((folder) =>
      userFile(machine.path.join(folder, 'settings', 'mcp_settings.json'), { refuses: plainJson }),
    ),
    projectFile(machine, ['.roo', 'mcp.json'], { refuses: plainJson }),
  ],
  layer: (file) => mapLayer(file, ['mcpServers']),
  read: (node, context) => readShape(node, shape, context),
  writer: createWriter({ shape, files: { user: /./, project: ['.roo/mcp.json'] } }),
};
