/**
 * Zed: `context_servers` in its settings, merged field by field from the global, the user's and the project's
 * file. `remote` says on which machine a program runs, not how to reach it. Only Zed can start servers of
 * extensions.
 */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { AgentFormat, EntryContext } from './agent-format.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';
import { createWriter } from './create-writer.ts';
import { readNumber } from './fields.ts';
import { appData, projectFile, userFile, xdgConfig } from './places.ts';
import { mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';

const shape: ServerShape = {
  dialect: 'none',
  types: [],
  off: { key: 'enabled', value: false },
  timeouts: [{ key: 'timeout', unit: 's', means: 'idle' }],
  oauth: { key: 'oauth', clientId: 'client_id', clientSecret: 'client_secret' },
  writes: { types: { stdio: null, http: null }, noCwd: true },
};

export const zed: AgentFormat = {
  id: 'zed',
  label: 'Zed',
  shape,
  combine: 'fields',
  locate: (machine) => [
    userFile(machine.path.join(configFolder(machine), 'global_settings.json')),
    userFile(machine.path.join(configFolder(machine), 'settings.json')),
    projectFile(machine, ['.zed', 'settings.json']),
  ],
  layer: (file) => mapLayer(file, ['context_servers']),
  read: readZedEntry,
  writer: createWriter({
    shape,
    files: { user: /^settings\.json$/, project: ['.zed/settings.json'] },
    keys: [['context_servers']],
  }),
};

function configFolder(machine: Machine): string {
  if (machine.os === 'windows') return appData(machine, 'Zed');
  if (machine.os === 'macos') return machine.path.join(machine.homeDir, '.config', 'zed');
  const flatpak = machine.env['FLATPAK_XDG_CONFIG_HOME'];
  return flatpak === undefined || flatpak === ''
    ? xdgConfig(machine, 'zed')
    : machine.path.join(flatpak, 'zed');
}

function readZedEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  if (isExtension(node)) {
    const message = `server "${context.entry.name}" belongs to an extension, which only Zed can start`;
    context.report({ severity: 'info', code: 'entry-unsupported', at: context.entry.at, message });
    return undefined;
  }
  const reading = readShape(flatten(node), shape, context);
  const { root } = context.file;
  if (reading === undefined || reading.timeouts.idleMs !== undefined || root?.kind !== 'object')
    return reading;
  const seconds = readNumber({ node: root, report: context.report }, 'context_server_timeout');
  return seconds === undefined ? reading : { ...reading, timeouts: { idleMs: Math.round(seconds * 1000) } };
}

function isExtension(node: ObjectNode): boolean {
  if (get(node, 'command') !== undefined || get(node, 'url') !== undefined) return false;
  const source = get(node, 'source');
  return (source?.kind === 'string' && source.value === 'extension') || get(node, 'settings') !== undefined;
}

/** Older entries have an object `command` with `path`, `args` and `env`. */
function flatten(node: ObjectNode): ObjectNode {
  const command = get(node, 'command');
  if (command?.kind !== 'object' || get(command, 'path') === undefined) return node;
  const inner = command.entries.map(({ key, keyStart, value }) => ({
    key: key === 'path' ? 'command' : key,
    keyStart,
    value,
  }));
  return { ...node, entries: [...node.entries, ...inner] };
}
