/**
 * Antigravity: `mcp_config.json` below Gemini's folder and in the project; a remote server has a `serverUrl`.
 */

import type { ObjectNode } from '../documents/tree.ts';
import type { AgentFormat, EntryContext } from './agent-format.ts';
import { noTypes, type EntryReading, type ServerShape } from './server-shape.ts';
import { createWriter } from './create-writer.ts';
import { reportGoogleLogin } from './gemini.ts';
import { reportFieldWarnings, reportNonStrings } from './field-warnings.ts';
import { homeFile, projectFile } from './places.ts';
import { mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';

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
  writes: { types: noTypes, noCwd: true },
};

const projectFolders = ['_agent', '_agents', '.agent', '.agents'] as const;
const userFolders = ['antigravity-cli', 'antigravity', 'config'] as const;

export const antigravity: AgentFormat = {
  id: 'antigravity',
  label: 'Antigravity',
  shape,
  combine: 'whole',
  locate: (machine) => [
    ...userFolders.map((folder) => homeFile(machine, ['.gemini', folder, 'mcp_config.json'])),
    ...projectFolders.map((folder) => projectFile(machine, [folder, 'mcp_config.json'])),
  ],
  layer: (file) => mapLayer(file, ['mcpServers']),
  read: readAntigravityEntry,
  writer: createWriter({
    shape,
    files: {
      user: ['.gemini/config/mcp_config.json', '.gemini/antigravity/mcp_config.json'],
      project: ['.agents/mcp_config.json', '.agent/mcp_config.json'],
    },
  }),
};

function readAntigravityEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const message = 'Antigravity does not look at "enabled" and starts the server';
  reportFieldWarnings(node, context, [
    { key: 'enabled', value: false, code: 'agent-ignores', message, remedy: 'Write "disabled": true.' },
  ]);
  reportNonStrings(node, context, ['env'], 'Antigravity drops this server');
  const reading = readShape(node, shape, context);
  if (reading !== undefined) reportGoogleLogin(node, context, 'Antigravity');
  return reading;
}
