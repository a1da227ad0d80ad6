/**
 * Amp: `settings.json` or `settings.jsonc`, with the key `amp.mcpServers`, which contains a dot. If a folder
 * has both files, only the first is read. `AMP_SETTINGS_FILE` replaces the user's file.
 */

import { dig, get } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { AgentFormat, ConfigFile, Layer, Location } from './agent-format.ts';
import { createWriter } from './create-writer.ts';
import { appData, userFile, walkFiles, xdgConfig } from './places.ts';
import { entriesOf, isObjectFile } from './server-map.ts';
import { readShape } from './read-shape.ts';
import { commonOAuth, noTypes, type ServerShape } from './server-shape.ts';

const shape: ServerShape = {
  dialect: 'amp',
  off: { key: 'disabled', value: true },
  include: ['includeTools'],
  oauth: commonOAuth,
  writes: { types: noTypes, noCwd: true },
};

export const amp: AgentFormat = {
  id: 'amp',
  label: 'Amp',
  shape,
  combine: 'whole',
  locate: (machine) => [
    ...userFiles(machine),
    ...walkFiles(machine, ['.amp', 'settings.json']).flatMap((plain): readonly Location[] => [
      { ...plain, path: `${plain.path}c`, unless: plain.path },
      plain,
    ]),
  ],
  layer: ampLayer,
  read: (node, context) => readShape(node, shape, context),
  writer: createWriter({
    shape,
    // The file that the environment variable names may have any name.
    files: { user: /./, project: ['.amp/settings.json', '.amp/settings.jsonc'] },
    keys: [['amp.mcpServers'], ['amp', 'mcpServers']],
  }),
};

function userFiles(machine: Machine): readonly Location[] {
  const { path, cwd, env } = machine;
  const moved = env['AMP_SETTINGS_FILE'];
  if (moved !== undefined && moved !== '') return [userFile(path.resolve(cwd, moved), { format: 'json' })];
  return userFolders(machine).flatMap((folder) => [
    userFile(path.join(folder, 'settings.jsonc'), { unless: path.join(folder, 'settings.json') }),
    userFile(path.join(folder, 'settings.json')),
  ]);
}

/** On Windows the manuals disagree, so both folders are tried. */
function userFolders(machine: Machine): readonly string[] {
  const xdg = xdgConfig(machine, 'amp');
  return machine.os === 'windows' ? [appData(machine, 'amp'), xdg] : [xdg];
}

/** Editors also write the key as two nested keys. */
function ampLayer(file: ConfigFile): Layer {
  if (!isObjectFile(file)) return { entries: [] };
  return {
    entries: [
      ...entriesOf(file, dig(file.root, ['amp', 'mcpServers']), 'amp.mcpServers'),
      ...entriesOf(file, get(file.root, 'amp.mcpServers'), 'amp.mcpServers'),
    ],
  };
}
