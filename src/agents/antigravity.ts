/**
 * Antigravity: `mcp_config.json` below Gemini's folder and in the project; a remote server has a `serverUrl`.
 */

import type { ObjectNode } from '../documents/tree.ts';
import type { AgentFormat, EntryContext, EntryReading } from './agent-format.ts';
import { reportGoogleLogin } from './gemini.ts';
import { reportHabits } from './habits.ts';
import { homeFile, projectFile } from './places.ts';
import { reportOddValues } from './refused-values.ts';
import { mapLayer } from './server-map.ts';
import { readShape, type ServerShape } from './server-shape.ts';

const shape: ServerShape = {
  dialect: 'none',
  urls: [
    { key: 'serverUrl', untyped: 'http' },
    { key: 'url', untyped: 'http' },
  ],
  both: 'url-wins',
  off: { key: 'disabled', value: true },
  exclude: ['disabledTools'],
  oauth: { key: 'oauth', clientId: 'clientId', clientSecret: 'clientSecret' },
};

const projectFolders = ['_agent', '_agents', '.agent', '.agents'] as const;
const userFolders = ['antigravity-cli', 'antigravity', 'config'] as const;

export const antigravity: AgentFormat = {
  id: 'antigravity',
  label: 'Antigravity',
  combine: 'whole',
  locate: (machine) => [
    ...userFolders.map((folder) => homeFile(machine, ['.gemini', folder, 'mcp_config.json'])),
    ...projectFolders.map((folder) => projectFile(machine, [folder, 'mcp_config.json'])),
  ],
  layer: (file) => mapLayer(file, ['mcpServers']),
  read: readAntigravityEntry,
};

function readAntigravityEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const message = 'Antigravity does not look at "enabled" and starts the server';
  reportHabits(node, context, [
    { key: 'enabled', value: false, code: 'agent-ignores', message, remedy: 'Write "disabled": true.' },
  ]);
  reportOddValues(node, context, ['env'], 'Antigravity drops this server');
  const reading = readShape(node, shape, context);
  if (reading !== undefined) reportGoogleLogin(node, context, 'Antigravity');
  return reading;
}
