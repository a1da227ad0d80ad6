/**
 * Kilo: opencode's rules under other names. It also reads the files of the extension it grew out of
 * (`mcpServers`), which it converts while loading and which have the lowest precedence.
 */

import { get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type {
  AgentFormat,
  ConfigFile,
  EntryContext,
  Layer,
  Location,
  RawEntry,
  Report,
} from './agent-format.ts';
import { familyFiles, familyLayer, readsProject, type FamilyNames } from './opencode-files.ts';
import { acceptsEntry, familyWriter, readEntry, shapeOf, type Family } from './opencode.ts';
import { desktopConfig, homeFile, plainJson, projectFile, userFile } from './places.ts';
import { dropKeys, renameKeys, setKey } from './reshape.ts';
import { mapLayer } from './server-map.ts';

const family: Family = { label: 'Kilo', env: ['environment', 'env'] };

const files = ['kilo.json', 'kilo.jsonc'];

const names: FamilyNames = {
  variables: 'KILO',
  folder: 'kilo',
  userFiles: ['config.json', ...files],
  projectFiles: ['opencode.json', 'opencode.jsonc', ...files],
  dotFolders: ['.kilocode', '.kilo'],
  dotFiles: files,
};

export const kilo: AgentFormat = {
  id: 'kilo',
  label: 'Kilo',
  shape: shapeOf(family),
  combine: 'fields',
  locate: (machine) => [...legacyFiles(machine), ...familyFiles(machine, names)],
  layer: (file) => (file.location.variant === 'legacy' ? legacyLayer(file) : familyLayer(file, family.label)),
  accepts: (node, context) => {
    if (!acceptsEntry(node, context, family)) return false;
    reportDroppedHeaders(node, context);
    return true;
  },
  read: (node, context) => {
    const reading = readEntry(node, context, family);
    // The old files have no placeholders: Kilo parses them without any substitution.
    return reading === undefined || context.file.location.variant !== 'legacy'
      ? reading
      : { ...reading, dialect: 'none' };
  },
  writer: familyWriter(shapeOf(family), 'kilo', {
    user: [...files, 'config.json'],
    project: [...files, ...files.map((file) => `.kilo/${file}`)],
  }),
};

function legacyFiles(machine: Machine): readonly Location[] {
  const extension = ['Code', 'User', 'globalStorage', 'kilocode.kilo-code', 'settings', 'mcp_settings.json'];
  const details = { variant: 'legacy', refuses: plainJson } as const;
  const project = ['.kilocode', '.kilo'].map((folder) => projectFile(machine, [folder, 'mcp.json'], details));
  return [
    userFile(desktopConfig(machine, ...extension), details),
    homeFile(machine, ['.kilocode', 'cli', 'global', 'settings', 'mcp_settings.json'], details),
    ...(readsProject(machine, names) ? project : []),
  ];
}

function legacyLayer(file: ConfigFile): Layer {
  const converted = (entry: RawEntry): RawEntry => {
    if (entry.node.kind !== 'object') return entry;
    const report: Report = (complaint) => file.report({ server: entry.name, ...complaint });
    reportLeftOut(entry.node, file.location, report);
    return { ...entry, node: convert(entry.node, report) };
  };
  return { entries: mapLayer(file, ['mcpServers']).entries.map(converted) };
}

/** Converts an entry as Kilo does: command as one list, `enabled` instead of `disabled`, and two types. */
function convert(node: ObjectNode, report: Report): ObjectNode {
  const command = get(node, 'command');
  const args = get(node, 'args');
  const disabled = get(node, 'disabled');
  const items = command?.kind === 'string' ? [command, ...(args?.kind === 'array' ? args.items : [])] : [];
  const kept = dropKeys(node, ['args', 'disabled', ...leftOut]);
  const listed =
    command?.kind === 'string' ? setKey(kept, 'command', { ...command, kind: 'array', items }) : kept;
  const switched =
    disabled?.kind === 'boolean'
      ? setKey(listed, 'enabled', { ...disabled, value: !disabled.value })
      : listed;
  return renameKeys(setKey(switched, 'type', typeOf(node, report)), { env: 'environment' });
}

function typeOf(node: ObjectNode, report: Report): DocNode {
  const type = get(node, 'type');
  const place = { start: type?.start ?? node.start, end: type?.end ?? node.start };
  if (type?.kind === 'string' && ['streamable-http', 'sse'].includes(type.value)) {
    return { kind: 'string', value: 'remote', ...place };
  }
  if (get(node, 'url') === undefined || get(node, 'command') !== undefined)
    return { kind: 'string', value: 'local', ...place };
  report({
    severity: 'warning',
    code: 'agent-refuses',
    at: place.start,
    message: 'Kilo leaves out a URL whose type is neither "streamable-http" nor "sse"; holt reads it as http',
    remedy: 'Add "type": "streamable-http".',
  });
  return { kind: 'string', value: 'remote', ...place };
}

/** Fields of the old files that the conversion drops. */
const leftOut = ['alwaysAllow', 'cwd', 'disabledTools', 'timeout', 'watchPaths'];

function reportLeftOut(node: ObjectNode, { guarded }: Location, report: Report): void {
  for (const key of leftOut) {
    const value = get(node, key);
    if (value === undefined) continue;
    if (key === 'alwaysAllow' && guarded) {
      const message = '"alwaysAllow" in a project file does not count';
      report({ severity: 'warning', code: 'self-approval', at: value.start, message });
    } else {
      const message = `Kilo does not look at "${key}" in its old files any more`;
      report({ severity: 'warning', code: 'agent-ignores', at: value.start, message });
    }
  }
}

/** A project's headers must not use the user's variables and files: Kilo drops such an entry. */
function reportDroppedHeaders(node: ObjectNode, context: EntryContext): void {
  const headers = get(node, 'headers');
  if (!context.file.location.guarded || headers?.kind !== 'object') return;
  const reaching = headers.entries.find(
    ({ value }) => value.kind === 'string' && /\{(?:env|file):/.test(value.value),
  );
  if (reaching === undefined) return;
  context.report({
    severity: 'warning',
    code: 'agent-refuses',
    at: reaching.value.start,
    message: `Kilo leaves this server out: "headers.${reaching.key}" of a project file uses {env:} or {file:}`,
    remedy: 'Define the server in your own config.',
  });
}
