/**
 * Copilot CLI: the user's `mcp-config.json`, and `.github/mcp.json` in each folder up to the project's root.
 * A `.mcp.json` beside `.github` hides that file completely. A list in the settings switches servers off.
 */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ToolFilter } from '../kernel/servers.ts';
import type { AgentFormat, ConfigFile, EntryContext, EntryReading, Layer, Location } from './agent-format.ts';
import { switchHabits } from './editor-habits.ts';
import { listedStrings, readStrings, type Fields } from './fields.ts';
import { reportHabits } from './habits.ts';
import { movedHome, userFile, walkFiles } from './places.ts';
import { reportOddValues } from './refused-values.ts';
import { mapLayer, sniffedLayer } from './server-map.ts';
import { readShape, type ServerShape } from './server-shape.ts';

const shape: ServerShape = {
  dialect: 'copilot',
  typeNames: { local: 'stdio', stdio: 'stdio', http: 'http', 'streamable-http': 'http', sse: 'sse' },
  both: 'type-decides',
  timeouts: [{ key: 'timeout', unit: 'ms', means: 'idle' }],
  oauth: { clientId: 'oauthClientId' },
};

const habits = switchHabits('Copilot CLI');

export const copilotCli: AgentFormat = {
  id: 'copilot-cli',
  label: 'Copilot CLI',
  combine: 'whole',
  locate: (machine) => [
    userFile(inHome(machine, 'settings.json'), { variant: 'settings' }),
    userFile(inHome(machine, 'mcp-config.json'), { variant: 'user' }),
    ...walkFiles(machine, ['.github', 'mcp.json'], { refuses: { comments: true, trailingCommas: true } }).map(
      (location) => hiddenBySibling(location, machine),
    ),
  ],
  layer: (file) => {
    if (file.location.variant === 'settings') return switchLayer(file);
    return file.location.variant === 'user' ? userLayer(file) : sniffedLayer(file, ['mcpServers']);
  },
  read: readCopilotEntry,
};

function inHome(machine: Machine, name: string): string {
  return machine.path.join(movedHome(machine, 'COPILOT_HOME', '.copilot'), name);
}

function hiddenBySibling(location: Location, { path }: Machine): Location {
  const folder = path.dirname(path.dirname(location.path));
  return { ...location, unless: path.join(folder, '.mcp.json') };
}

function switchLayer(file: ConfigFile): Layer {
  const { root } = file;
  if (root?.kind !== 'object') return { entries: [] };
  const off = listedStrings({ node: root, report: file.report }, 'disabledMcpServers');
  return { entries: [], switches: { off } };
}

function userLayer(file: ConfigFile): Layer {
  if (
    file.root === undefined ||
    (file.root.kind === 'object' && get(file.root, 'mcpServers') === undefined)
  ) {
    const message = 'Copilot CLI refuses this file: it has no "mcpServers"';
    file.report({
      severity: 'warning',
      code: 'agent-refuses',
      at: 0,
      message,
      remedy: 'Add "mcpServers": {}.',
    });
  }
  return mapLayer(file, ['mcpServers']);
}

function readCopilotEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  reportHabits(node, context, habits);
  reportOddValues(node, context, ['env'], 'Copilot CLI skips this server');
  if (context.entry.name.includes('}')) {
    const message = 'Copilot CLI takes no "}" in the name of a server';
    context.report({ severity: 'warning', code: 'agent-refuses', at: context.entry.at, message });
  }
  const reading = readShape(node, shape, context);
  if (reading === undefined) return undefined;
  const tools = readCopilotTools({ node, report: context.report });
  return tools === undefined ? reading : { ...reading, tools };
}

/** `tools` is a list of names; `*`, alone or in the list, means all tools. */
export function readCopilotTools(fields: Fields): ToolFilter | undefined {
  const node = get(fields.node, 'tools');
  const all = node?.kind === 'string' && node.value === '*';
  const include = all ? ['*'] : readStrings(fields, 'tools');
  const exclude = readStrings(fields, 'excludeTools');
  const narrowed = include === undefined || include.includes('*') ? {} : { include };
  const tools = { ...narrowed, ...(exclude === undefined ? {} : { exclude }) };
  return Object.keys(tools).length === 0 ? undefined : tools;
}
