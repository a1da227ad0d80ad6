/**
 * Copilot CLI: the user's `mcp-config.json`, and `.github/mcp.json` in each folder up to the project's root.
 * A `.mcp.json` beside `.github` hides that file completely. A list in the settings switches servers off.
 */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ToolFilter } from '../kernel/servers.ts';
import type {
  AgentFormat,
  ConfigFile,
  EntryContext,
  FileLookup,
  Layer,
  Location,
  WriteScope,
  WriteTarget,
} from './agent-format.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';
import { claudeShape, sharedTarget } from './claude-entry.ts';
import { createWriter, sniffedMapAt } from './create-writer.ts';
import { reportFieldWarnings, reportNonStrings, switchWarnings } from './field-warnings.ts';
import { listedStrings, readStrings, type Fields } from './fields.ts';
import { movedHome, plainJson, userFile, walkFiles } from './places.ts';
import { mapLayer, sniffedLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';

const shape: ServerShape = {
  dialect: 'copilot',
  typeNames: { local: 'stdio', stdio: 'stdio', http: 'http', 'streamable-http': 'http', sse: 'sse' },
  both: 'type-decides',
  timeouts: [{ key: 'timeout', unit: 'ms', means: 'idle' }],
  oauth: { clientId: 'oauthClientId' },
  include: ['tools'],
  exclude: ['excludeTools'],
  writes: { types: { stdio: 'local', http: 'http', sse: 'sse' } },
};

const warnings = switchWarnings('Copilot CLI');

const ownWriter = createWriter({
  shape,
  files: { user: ({ machine }) => inHome(machine, 'mcp-config.json'), project: ['.github/mcp.json'] },
});

export const copilotCli: AgentFormat = {
  id: 'copilot-cli',
  label: 'Copilot CLI',
  shape,
  combine: 'whole',
  locate: (machine) => [
    userFile(inHome(machine, 'settings.json'), { variant: 'settings' }),
    userFile(inHome(machine, 'mcp-config.json'), { variant: 'user' }),
    ...walkFiles(machine, ['.github', 'mcp.json'], { refuses: plainJson }).map((location) =>
      hiddenBySibling(location, machine),
    ),
  ],
  layer: (file) => {
    if (file.location.variant === 'settings') return switchLayer(file);
    return file.location.variant === 'user' ? userLayer(file) : sniffedLayer(file, ['mcpServers']);
  },
  read: readCopilotEntry,
  writer: { ...ownWriter, target: targetFor },
};

function targetFor(scope: WriteScope, lookup: FileLookup): WriteTarget | undefined {
  const { machine, files } = lookup;
  const shared = machine.path.join(machine.projectRoot, '.mcp.json');
  // Copilot ignores its own file when this one exists.
  if (scope === 'project' && files.exists(shared)) return sharedTarget(shared, claudeShape);
  const own = ownWriter.target(scope, lookup);
  return scope === 'user' || own === undefined ? own : { ...own, container: sniffedMapAt([['mcpServers']]) };
}

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
  reportFieldWarnings(node, context, warnings);
  reportNonStrings(node, context, ['env'], 'Copilot CLI skips this server');
  if (context.entry.name.includes('}')) {
    const message = 'Copilot CLI takes no "}" in the name of a server';
    context.report({ severity: 'warning', code: 'agent-refuses', at: context.entry.at, message });
  }
  // `readCopilotTools` reads the two lists.
  const reading = readShape(node, { ...shape, include: [], exclude: [] }, context);
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
