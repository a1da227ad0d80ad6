/**
 * Continue: a list in `config.yaml`, and blocks, one per file, in the folder `mcpServers` of the user and the
 * project. A block contains a list, a map like Claude's, or one bare entry. The older `config.json` counts
 * only without `config.yaml`.
 */

import { dig, get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type {
  AgentFormat,
  ConfigFile,
  EntryContainer,
  EntryContext,
  Layer,
  RawEntry,
  WriteTarget,
} from './agent-format.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';
import { mapAt } from './create-writer.ts';
import { readString, readStringMap, type Fields } from './fields.ts';
import { reportFieldWarnings, type FieldWarning } from './field-warnings.ts';
import { movedHome, projectFile, userFile } from './places.ts';
import { entriesOfList, ownName } from './server-list.ts';
import { entriesOf, isObjectFile, looksLikeEntry } from './server-map.ts';
import { readShape } from './read-shape.ts';

const shape: ServerShape = {
  dialect: 'continue',
  typeNames: { stdio: 'stdio', sse: 'sse', 'streamable-http': 'http', websocket: 'ws' },
  headers: [],
  timeouts: [{ key: 'connectionTimeout', unit: 'ms', means: 'start' }],
  writes: {
    types: { stdio: null, http: 'streamable-http', sse: 'sse', ws: 'websocket' },
    finish: ({ headers, ...entry }, _content, name) => {
      return { name, ...entry, ...(headers === undefined ? {} : { requestOptions: { headers } }) };
    },
  },
};
const jsonShape: ServerShape = {
  ...shape,
  dialect: 'continue-json',
  typeNames: { stdio: 'stdio', sse: 'sse', http: 'http' },
  headers: ['headers'],
  writes: { types: { stdio: null, http: 'http', sse: 'sse' } },
};

const yamlBlocks = { each: /\.ya?ml$/, format: 'yaml', variant: 'block' } as const;
const jsonBlocks = { each: /\.json$/, format: 'json', variant: 'json-block' } as const;

export const continueDev: AgentFormat = {
  id: 'continue',
  label: 'Continue',
  shape,
  combine: 'whole',
  locate: (machine) => {
    const { path } = machine;
    const folder = userFolder(machine);
    const config = path.join(folder, 'config.yaml');
    const blocks = path.join(folder, 'mcpServers');
    return [
      userFile(path.join(folder, 'config.json'), { variant: 'legacy', unless: config }),
      userFile(config),
      userFile(blocks, yamlBlocks),
      userFile(blocks, jsonBlocks),
      projectFile(machine, ['.continue', 'mcpServers'], yamlBlocks),
      projectFile(machine, ['.continue', 'mcpServers'], jsonBlocks),
    ];
  },
  layer: (file) => {
    if (!isObjectFile(file)) return { entries: [] };
    return file.location.variant === 'legacy' ? legacyLayer(file) : { entries: blockEntries(file) };
  },
  read: readContinueEntry,
  writer: {
    scopes: ['user', 'project'],
    // Neither form has a switch, so either one works.
    shapeAt: () => shape,
    target: (scope, { machine, files }) => {
      const { path, projectRoot } = machine;
      if (scope !== 'user') return blockTarget(path.join(projectRoot, '.continue', ...blockFile));
      const config = path.join(userFolder(machine), 'config.yaml');
      if (!files.exists(config)) return blockTarget(path.join(userFolder(machine), ...blockFile));
      return { file: config, format: 'yaml', container: listContainer, shapeAt: () => shape };
    },
  },
};

function listContainer(): EntryContainer {
  return { kind: 'list', paths: [['mcpServers']] };
}

const blockFile = ['mcpServers', 'mcp.json'];

/**
 * Without `config.yaml`, a server goes into a block of its own, because a new `config.yaml` would disable an
 * older `config.json`. A block in JSON has Claude's map.
 */
function blockTarget(file: string): WriteTarget {
  return { file, format: 'json', container: mapAt([['mcpServers']]), shapeAt: () => jsonShape };
}

function userFolder(machine: Machine): string {
  return movedHome(machine, 'CONTINUE_GLOBAL_DIR', '.continue');
}

function blockEntries(file: ConfigFile): readonly RawEntry[] {
  const servers = get(file.root, 'mcpServers');
  const projects = file.location.variant === 'json-block' ? get(file.root, 'projects') : undefined;
  if (servers === undefined && projects === undefined) return bareEntry(file);
  if (servers?.kind === 'array') return entriesOfList(file, servers, 'mcpServers');
  const own = entriesOf(file, servers, 'mcpServers');
  const entries = [...own, ...projectEntries(file, projects, own)];
  const bad =
    file.location.variant === 'json-block' ? entries.find(({ node }) => !looksLikeEntry(node)) : undefined;
  if (bad !== undefined) {
    const message = `Continue rejects this whole file because of "${bad.name}"; holt reads the rest`;
    file.report({ severity: 'warning', code: 'agent-refuses', at: bad.at, message });
  }
  return entries;
}

/** A copy of Claude's file: the servers of all its projects count, and the first of each name is used. */
function projectEntries(
  file: ConfigFile,
  projects: DocNode | undefined,
  own: readonly RawEntry[],
): readonly RawEntry[] {
  const taken = new Set(own.map(({ name }) => name));
  const folders = projects?.kind === 'object' ? projects.entries : [];
  return folders.flatMap(({ value }) => {
    const entries = entriesOf(file, get(value, 'mcpServers'), 'projects.mcpServers');
    const fresh = entries.filter(({ name }) => !taken.has(name));
    for (const { name } of fresh) taken.add(name);
    return fresh;
  });
}

/** A file that is itself a server entry gives the server its name. */
function bareEntry(file: ConfigFile): readonly RawEntry[] {
  if (file.location.variant === undefined || !looksLikeEntry(file.root)) return [];
  const name = file.machine.path.basename(file.path).replace(/\.\w+$/, '');
  return [{ name, node: file.root, at: file.root.start }];
}

/** `experimental.modelContextProtocolServers`: without names, and with each server inside `transport`. */
function legacyLayer(file: ConfigFile): Layer {
  const list = dig(file.root, ['experimental', 'modelContextProtocolServers']);
  const entries = entriesOfList(file, list, 'experimental.modelContextProtocolServers', legacyName);
  return {
    entries: entries.map((entry): RawEntry => Object.assign({}, entry, { node: lifted(entry.node) })),
  };
}

function legacyName(item: DocNode, index: number): string {
  return ownName(item) || `continue-mcp-server-${index + 1}`;
}

function lifted(item: DocNode): DocNode {
  const transport = get(item, 'transport');
  if (item.kind !== 'object' || transport?.kind !== 'object') return item;
  return {
    ...item,
    entries: [...item.entries.filter(({ key }) => key !== 'transport'), ...transport.entries],
  };
}

const envFile: FieldWarning = {
  key: 'envFile',
  code: 'agent-ignores',
  message: 'Continue does not read "envFile": these variables are never set',
  remedy: 'Put them into "env".',
};
const headers: FieldWarning = {
  key: 'headers',
  code: 'agent-ignores',
  message: 'Continue does not look at "headers" here: they are never sent',
  remedy: 'Use requestOptions.headers.',
};

function readContinueEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const json = context.file.location.variant === 'json-block';
  reportFieldWarnings(node, context, json ? [envFile] : [envFile, headers]);
  const own = json ? jsonShape : shape;
  // If there is a command, the URL and the type are ignored.
  const reading = readShape(
    node,
    get(node, 'command') === undefined ? own : { ...own, urls: [], types: [] },
    context,
  );
  if (reading === undefined || reading.launch.kind === 'stdio') return reading;
  const fields: Fields = { node, report: context.report };
  const apiKey = readString(fields, 'apiKey');
  return {
    ...reading,
    launch: {
      ...reading.launch,
      headers: {
        ...reading.launch.headers,
        ...optionHeaders(fields),
        ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
      },
    },
  };
}

function optionHeaders({ node, report }: Fields): Readonly<Record<string, string>> {
  const options = get(node, 'requestOptions');
  return options?.kind === 'object' ? readStringMap({ node: options, report }, 'headers') : {};
}
