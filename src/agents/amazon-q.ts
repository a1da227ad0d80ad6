/**
 * Amazon Q: `mcp.json` of the user and the project, overridden by the servers of the command line's agents.
 */

import type { AgentFormat } from './agent-format.ts';
import { homeFile, projectFile } from './places.ts';
import { mapLayer } from './server-map.ts';
import { readShape, type ServerShape } from './server-shape.ts';

const shape: ServerShape = {
  dialect: 'amazon-q',
  typeNames: { stdio: 'stdio', http: 'http' },
  off: { key: 'disabled', value: true },
  timeouts: [{ key: 'timeout', unit: 'ms', means: 'idle' }],
  oauth: { key: 'oauth', redirectUri: 'redirectUri', outerScopes: 'oauthScopes' },
};

const agents = { each: /\.json$/, format: 'json' } as const;

export const amazonQ: AgentFormat = {
  id: 'amazon-q',
  label: 'Amazon Q',
  combine: 'whole',
  locate: (machine) => [
    homeFile(machine, ['.aws', 'amazonq', 'mcp.json']),
    projectFile(machine, ['.amazonq', 'mcp.json']),
    homeFile(machine, ['.aws', 'amazonq', 'cli-agents'], agents),
    projectFile(machine, ['.amazonq', 'cli-agents'], agents),
  ],
  layer: (file) => mapLayer(file, ['mcpServers']),
  read: (node, context) => readShape(node, shape, context),
};
