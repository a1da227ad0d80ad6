/**
 * Mistral Vibe: an array `[[mcp_servers]]` in `config.toml`,
 * and a header that is built from a variable at run time.
 */

import type { ObjectNode } from '../documents/tree.ts';
import type { VariableReferences } from '../kernel/servers.ts';
import type { AgentFormat, EntryContext } from './agent-format.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';
import { readString, type Fields } from './fields.ts';
import { homeFile, projectFile } from './places.ts';
import { listLayer } from './server-list.ts';
import { readShape } from './read-shape.ts';

const shape: ServerShape = {
  dialect: 'none',
  types: ['transport'],
  typeNames: { stdio: 'stdio', http: 'http', 'streamable-http': 'http' },
  off: { key: 'disabled', value: true },
  timeouts: [
    { key: 'startup_timeout_sec', unit: 's', means: 'start' },
    { key: 'tool_timeout_sec', unit: 's', means: 'idle' },
  ],
  exclude: ['disabled_tools'],
};

export const mistralVibe: AgentFormat = {
  id: 'mistral-vibe',
  label: 'Mistral Vibe',
  shape,
  combine: 'whole',
  locate: (machine) => [
    homeFile(machine, ['.vibe', 'config.toml']),
    projectFile(machine, ['.vibe', 'config.toml']),
  ],
  layer: (file) => listLayer(file, ['mcp_servers']),
  read: readVibeEntry,
};

function readVibeEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const reading = readShape(node, shape, context);
  if (reading === undefined || reading.launch.kind === 'stdio') return reading;
  return {
    ...reading,
    launch: { ...reading.launch, headersFrom: readKeyHeader({ node, report: context.report }) },
  };
}

/** `api_key_format` defines the position of the key in the header: `Token {token}`. */
function readKeyHeader(fields: Fields): VariableReferences {
  const variable = readString(fields, 'api_key_env');
  if (variable === undefined || variable === '') return {};
  const header = readString(fields, 'api_key_header') ?? 'Authorization';
  const format = readString(fields, 'api_key_format') ?? 'Bearer {token}';
  const [prefix = '', ...rest] = format.split('{token}');
  return { [header]: { variable, prefix, suffix: rest.join('{token}') } };
}
