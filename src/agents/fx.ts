/** fx: key `mcp` in `~/.fx/mcp.json`, a command as one list, separate fields for headers from variables. */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { AgentFormat, EntryContext } from './agent-format.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';
import { eitherSwitch } from './agent-row.ts';
import { readStringMap } from './fields.ts';
import { homeFile } from './places.ts';
import { mapLayer } from './server-map.ts';
import { splitCommand } from './reshape.ts';
import { readShape } from './read-shape.ts';

const shape: ServerShape = {
  dialect: 'none',
  typeNames: { local: 'stdio', http: 'http', sse: 'sse' },
  env: ['environment'],
  bearerEnv: 'bearer_token_env',
  alsoOff: eitherSwitch,
};

export const fx: AgentFormat = {
  id: 'fx',
  label: 'fx',
  shape,
  combine: 'whole',
  locate: (machine) => [homeFile(machine, ['.fx', 'mcp.json'])],
  layer: (file) => mapLayer(file, ['mcp']),
  read: readFxEntry,
};

function readFxEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const reading = readShape(splitCommand(node), shape, context);
  if (reading === undefined || reading.launch.kind === 'stdio') return reading;
  reportLiteralLogin(node, context);
  const named = Object.entries(readStringMap({ node, report: context.report }, 'header_env'));
  const fromVariables = named.map(
    ([header, variable]) => [header, { variable, prefix: '', suffix: '' }] as const,
  );
  const headersFrom = { ...reading.launch.headersFrom, ...Object.fromEntries(fromVariables) };
  return { ...reading, launch: { ...reading.launch, headersFrom } };
}

function reportLiteralLogin(node: ObjectNode, context: EntryContext): void {
  const headers = get(node, 'headers');
  const login =
    headers?.kind === 'object' ? headers.entries.find(({ key }) => /^authorization$/i.test(key)) : undefined;
  if (login === undefined) return;
  const message = 'fx refuses a login stored as plain text in the file';
  context.report({
    severity: 'warning',
    code: 'agent-refuses',
    at: login.keyStart,
    message,
    remedy: 'Use bearer_token_env.',
  });
}
