/**
 * Cursor: `.cursor/mcp.json` of the user and of the project; its command line also reads the folders in
 * between. A URL needs no type, login fields are in capitals, and Cursor stores switches elsewhere.
 */

import type { ObjectNode } from '../documents/tree.ts';
import type { AgentFormat, EntryContext } from './agent-format.ts';
import { noTypes, type EntryReading, type ServerShape } from './server-shape.ts';
import { createWriter } from './create-writer.ts';
import { envFileWarning, reportFieldWarnings, switchWarnings } from './field-warnings.ts';
import { filesBeyond, homeFile, walkFiles } from './places.ts';
import { mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';

const shape: ServerShape = {
  dialect: 'cursor',
  oauth: { key: 'auth', clientId: 'CLIENT_ID', clientSecret: 'CLIENT_SECRET', scopes: 'scopes' },
  writes: { types: noTypes, noCwd: true },
};

const warnings = [envFileWarning, ...switchWarnings('Cursor')];
const file = ['.cursor', 'mcp.json'];

export const cursor: AgentFormat = {
  id: 'cursor',
  label: 'Cursor',
  shape,
  combine: 'whole',
  locate: (machine) => {
    const [root, ...nested] = walkFiles(machine, file);
    return [...nested, homeFile(machine, file), ...(root === undefined ? [] : [root])];
  },
  mentions: (machine) => filesBeyond(machine, file),
  layer: (source) => mapLayer(source, ['mcpServers']),
  read: readCursorEntry,
  writer: createWriter({ shape, files: { user: ['.cursor/mcp.json'], project: ['.cursor/mcp.json'] } }),
};

function readCursorEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  reportFieldWarnings(node, context, warnings);
  return readShape(node, shape, context);
}
