/**
 * VS Code, its Insiders edition and VSCodium: `mcp.json` of the user, of each profile and of the project,
 * with `inputs`. Older servers are in settings, where the key is either `mcp` → `servers` or the single key
 * `mcp.servers`.
 */

import { dig, get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { AgentFormat, ConfigFile, EntryContext, Layer, Location } from './agent-format.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';
import { createWriter } from './create-writer.ts';
import { plainJson, projectFile, userFile, vscodeUserFolders } from './places.ts';
import { envFileWarning, reportFieldWarnings, switchWarnings } from './field-warnings.ts';
import { entriesOf, isObjectFile } from './server-map.ts';
import { readShape } from './read-shape.ts';
import type { InputQuestion } from '../kernel/servers.ts';

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
  reportFieldWarnings(node, context, [envFileWarning, ...switchWarnings(label)]);
  const url = get(node, 'url');
  if (url?.kind === 'string' && /^(unix|pipe):/i.test(url.value)) {
    const message = `server "${context.entry.name}" listens on a local socket, which holt cannot reach`;
    context.report({ severity: 'error', code: 'entry-unsupported', at: url.start, message });
    return undefined;
  }
  return readShape(node, vscodeShape, context);
}

export function readInputs(file: ConfigFile, node: DocNode | undefined): readonly InputQuestion[] {
  if (node === undefined || node.kind === 'null') return [];
  if (node.kind !== 'array') {
    file.report({
      severity: 'warning',
      code: 'field-invalid',
      at: node.start,
      message: '"inputs" is not a list; it is ignored',
    });
    return [];
  }
  return node.items.flatMap((item) => readInput(file, item));
}

function readInput(file: ConfigFile, node: DocNode): readonly InputQuestion[] {
  const id = textOf(node, 'id');
  if (id === undefined || id === '') {
    const message = 'an input without an "id" cannot be asked for; it is ignored';
    file.report({ severity: 'warning', code: 'field-invalid', at: node.start, message });
    return [];
  }
  if (textOf(node, 'type') === 'command') {
    const message = `the editor answers input "${id}" with a command; holt does not run it and asks instead`;
    file.report({ severity: 'info', code: 'field-executable', at: node.start, message });
  }
  const fallback = textOf(node, 'default');
  const options = readOptions(get(node, 'options'));
  const password = get(node, 'password');
  return [
    {
      id,
      description: textOf(node, 'description') ?? id,
      password: password?.kind === 'boolean' && password.value,
      ...(fallback === undefined ? {} : { fallback }),
      ...(options === undefined ? {} : { options }),
    },
  ];
}

/** An option is a string, or an object whose `value` is used and whose `label` is only displayed. */
function readOptions(node: DocNode | undefined): readonly string[] | undefined {
  if (node?.kind !== 'array') return undefined;
  return node.items.flatMap((item) => {
    const text = item.kind === 'string' ? item.value : textOf(item, 'value');
    return text === undefined ? [] : [text];
  });
}

function textOf(node: DocNode, key: string): string | undefined {
  const value = get(node, key);
  return value?.kind === 'string' ? value.value : undefined;
}

export const visualStudio: AgentFormat = {
  id: 'visual-studio',
  label: 'Visual Studio',
  shape: vscodeShape,
  combine: 'whole',
  locate: (machine) => [projectFile(machine, ['.vs', 'mcp.json'], { refuses: plainJson })],
  layer: (file) => serversLayer(file, 'Visual Studio'),
  read: (node, context) => readEditorEntry(node, context, 'Visual Studio'),
};
