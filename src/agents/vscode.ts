/**
 * VS Code, its Insiders edition and VSCodium: `mcp.json` of the user, of each profile and of the project,
 * with `inputs`. Older servers are in settings, where the key is either `mcp` → `servers` or the single key
 * `mcp.servers`.
 */

import { dig, get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { AgentFormat, ConfigFile, EntryContext, EntryReading, Layer, Location } from './agent-format.ts';
import { createWriter } from './create-writer.ts';
import { vscodeUserFolders } from './editor-folders.ts';
import { envFileHabit, reportHabits, switchHabits } from './habits.ts';
import { readInputs } from './input-questions.ts';
import { projectFile, userFile } from './places.ts';
import { entriesOf, isObjectFile } from './server-map.ts';
import { readShape, type ServerShape } from './server-shape.ts';

export const vscodeShape: ServerShape = {
  dialect: 'vscode',
  typeNames: { stdio: 'stdio', http: 'http', sse: 'sse' },
  both: 'type-decides',
  oauth: { key: 'oauth', clientId: 'clientId' },
  writes: { types: { stdio: 'stdio', http: 'http', sse: 'sse' } },
};

export const vscode: AgentFormat = {
  id: 'vscode',
  label: 'VS Code',
  shape: vscodeShape,
  combine: 'whole',
  locate: (machine) => [
    ...vscodeUserFolders(machine).flatMap((folder) => userFiles(machine, folder)),
    projectFile(machine, ['.devcontainer.json'], { variant: 'devcontainer' }),
    projectFile(machine, ['.devcontainer', 'devcontainer.json'], { variant: 'devcontainer' }),
    projectFile(machine, [], { each: /\.code-workspace$/, format: 'json', variant: 'workspace' }),
    projectFile(machine, ['.vscode', 'mcp.json']),
  ],
  layer: (file) => {
    const holder = holders[file.location.variant ?? ''];
    return holder === undefined ? serversLayer(file, 'VS Code') : settingsLayer(file, holder);
  },
  read: (node, context) => readEditorEntry(node, context, 'VS Code'),
  writer: createWriter({
    shape: vscodeShape,
    files: { user: /^mcp\.json$/, project: ['.vscode/mcp.json'] },
    keys: [['servers']],
  }),
};

function userFiles(machine: Machine, folder: string): readonly Location[] {
  const { path } = machine;
  return [
    userFile(path.join(folder, 'settings.json'), { variant: 'settings' }),
    userFile(path.join(folder, 'profiles'), { each: /^[^.]/, below: 'mcp.json' }),
    userFile(path.join(folder, 'mcp.json')),
  ];
}

/** The path to the settings in files that contain more than servers. */
const holders: Readonly<Record<string, readonly string[]>> = {
  settings: [],
  workspace: ['settings'],
  devcontainer: ['customizations', 'vscode'],
};

function settingsLayer(file: ConfigFile, holder: readonly string[]): Layer {
  if (!isObjectFile(file)) return { entries: [] };
  const settings = dig(file.root, holder);
  const find = (key: string): readonly (DocNode | undefined)[] => [
    dig(settings, ['mcp', key]),
    get(settings, `mcp.${key}`),
  ];
  return {
    entries: find('servers').flatMap((map) => entriesOf(file, map, 'mcp.servers')),
    inputs: find('inputs').flatMap((list) => readInputs(file, list)),
  };
}

/** Reads a dedicated file: `servers` and `inputs`. */
export function serversLayer(file: ConfigFile, label: string): Layer {
  if (!isObjectFile(file)) return { entries: [] };
  const foreign = get(file.root, 'mcpServers');
  if (foreign !== undefined) {
    file.report({
      severity: 'warning',
      code: 'agent-ignores',
      at: foreign.start,
      message: `${label} does not look at "mcpServers" here`,
      remedy: 'Call it "servers".',
    });
  }
  const entries = entriesOf(file, get(file.root, 'servers'), 'servers');
  return { entries, inputs: readInputs(file, get(file.root, 'inputs')) };
}

/** Reads an entry in the format of VS Code and Visual Studio. */
export function readEditorEntry(
  node: ObjectNode,
  context: EntryContext,
  label: string,
): EntryReading | undefined {
  reportHabits(node, context, [envFileHabit, ...switchHabits(label)]);
  const url = get(node, 'url');
  if (url?.kind === 'string' && /^(unix|pipe):/i.test(url.value)) {
    const message = `server "${context.entry.name}" listens on a local socket, which holt cannot reach`;
    context.report({ severity: 'error', code: 'entry-unsupported', at: url.start, message });
    return undefined;
  }
  return readShape(node, vscodeShape, context);
}
