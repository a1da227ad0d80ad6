/**
 * Locates the settings of opencode and the agents derived from it, weakest first.
 * Only names differ between them.
 */

import type { Machine } from '../kernel/machine.ts';
import type { Location } from './agent-format.ts';
import { homeFile, managedFile, perSystem, userFile, walkFiles, xdgConfig } from './places.ts';

export interface FamilyNames {
  /** The prefix of variables: `OPENCODE` in `OPENCODE_CONFIG`. */
  readonly variables: string;
  /** The folder below `~/.config`, `/etc` and the like. */
  readonly folder: string;
  /** Each list weakest first. */
  readonly userFiles: readonly string[];
  readonly projectFiles: readonly string[];
  readonly dotFolders: readonly string[];
  readonly dotFiles: readonly string[];
}

export function familyFiles(machine: Machine, names: FamilyNames): readonly Location[] {
  const { path } = machine;
  const moved = (suffix: string): readonly string[] => {
    const value = machine.env[`${names.variables}_${suffix}`];
    return value === undefined || value === '' ? [] : [path.resolve(machine.cwd, value)];
  };
  const inDotFolders = names.dotFolders.flatMap((folder) => names.dotFiles.map((file) => [folder, file]));
  const project = [
    ...walkRows(
      machine,
      names.projectFiles.map((file) => [file]),
    ).flat(),
    // The nearest folder comes first and so is the weakest of these.
    ...walkRows(machine, inDotFolders).toReversed().flat(),
  ];
  const managed = perSystem(machine, {
    linux: `/etc/${names.folder}`,
    macos: `/Library/Application Support/${names.folder}`,
    windows: path.join(machine.env['ProgramData'] ?? 'C:\\ProgramData', names.folder),
  });

  return [
    ...names.userFiles.map((file) => userFile(xdgConfig(machine, names.folder, file))),
    ...moved('CONFIG').map((file) => userFile(file)),
    ...(readsProject(machine, names) ? project : []),
    ...inDotFolders.map((parts) => homeFile(machine, parts)),
    ...moved('CONFIG_DIR').flatMap((folder) =>
      names.dotFiles.map((file) => userFile(path.join(folder, file))),
    ),
    ...contentOf(machine, `${names.variables}_CONFIG_CONTENT`),
    ...names.dotFiles.map((file) => managedFile(path.join(managed, file))),
  ];
}

/** A complete config in an environment variable. */
function contentOf({ env }: Machine, variable: string): readonly Location[] {
  const text = env[variable];
  return text === undefined || text === '' ? [] : [{ ...userFile(`$${variable}`, { format: 'json' }), text }];
}

/** False if a variable disables the project's files. */
export function readsProject({ env }: Machine, { variables }: FamilyNames): boolean {
  return !['1', 'true'].includes(env[`${variables}_DISABLE_PROJECT_CONFIG`]?.toLowerCase() ?? '');
}

/** Several files in each folder of the walk: one row per folder, the project's root first. */
function walkRows(machine: Machine, files: readonly (readonly string[])[]): readonly (readonly Location[])[] {
  const columns = files.map((parts) => walkFiles(machine, parts));
  return machine.walk.map((_, row) => columns.flatMap((column) => column[row] ?? []));
}
