/**
 * Factory Droid: `.factory/mcp.json` of the user and of every folder up to the project's root; the nearest
 * takes precedence. An entry without a type is a local program, whatever its other fields.
 */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { AgentFormat, EntryContext } from './agent-format.ts';
import { commonOAuth, type EntryReading, type ServerShape } from './server-shape.ts';
import { createWriter } from './create-writer.ts';
import { homeFile, walkFiles } from './places.ts';
import { mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';

const shape: ServerShape = {
  dialect: 'factory',
  urls: [{ key: 'url', untyped: { refusedAs: 'takes an entry without "type" for a program, and fails' } }],
  typeNames: { stdio: 'stdio', http: 'http', sse: 'sse' },
  both: 'type-decides',
  off: { key: 'disabled', value: true },
  timeouts: [{ key: 'timeoutMs', unit: 'ms', means: 'idle' }],
  include: ['enabledTools'],
  exclude: ['disabledTools'],
  oauth: {
    ...commonOAuth,
    callbackPort: 'callbackPort',
    issuer: 'authorizationServerIssuer',
  },
  writes: { types: { stdio: 'stdio', http: 'http', sse: 'sse' }, noCwd: true },
};

const refuses = { bom: true } as const;

export const factoryDroid: AgentFormat = {
  id: 'factory-droid',
  label: 'Factory Droid',
  shape,
  combine: 'whole',
  locate: (machine) => [
    homeFile(machine, ['.factory', 'mcp.json'], { refuses }),
    ...walkFiles(machine, ['.factory', 'mcp.json'], { refuses }),
  ],
  layer: (file) => mapLayer(file, ['mcpServers']),
  read: readFactoryEntry,
  writer: createWriter({ shape, files: { user: ['.factory/mcp.json'], project: ['.factory/mcp.json'] } }),
};

function readFactoryEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const program = get(node, 'type') === undefined && get(node, 'command') !== undefined;
  const reading = readShape(node, program ? { ...shape, urls: [] } : shape, context);
  if (reading?.tools?.include === undefined) return reading;
  // If there is a list of allowed tools, the agent ignores the list of disabled ones.
  return { ...reading, tools: { include: reading.tools.include } };
}
