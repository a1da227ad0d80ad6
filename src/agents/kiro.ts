/**
 * Kiro: `settings/mcp.json` of the user and the project, overridden by the servers that its agents define.
 */

import type { AgentFormat } from './agent-format.ts';
import { homeFile, projectFile } from './places.ts';
import { mapLayer } from './server-map.ts';
import { readShape, type ServerShape } from './server-shape.ts';

const shape: ServerShape = {
  dialect: 'kiro',
  off: { key: 'disabled', value: true },
  timeouts: [{ key: 'timeout', unit: 'ms', means: 'idle' }],
  exclude: ['disabledTools'],
  autoApprove: ['autoApprove'],
  oauth: {
    key: 'oauth',
    clientId: 'clientId',
    redirectUri: 'redirectUri',
    outerScopes: 'oauthScopes',
  },
};

const agents = { each: /\.json$/, format: 'json' } as const;

export const kiro: AgentFormat = {
  id: 'kiro',
  label: 'Kiro',
  combine: 'whole',
  locate: (machine) => [
    homeFile(machine, ['.kiro', 'settings', 'mcp.json']),
    projectFile(machine, ['.kiro', 'settings', 'mcp.json']),
    homeFile(machine, ['.kiro', 'agents'], agents),
    projectFile(machine, ['.kiro', 'agents'], agents),
  ],
  layer: (file) => mapLayer(file, ['mcpServers']),
  read: (node, context) => readShape(node, shape, context),
};
