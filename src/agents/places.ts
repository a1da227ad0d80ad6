/** Locates agents' files from facts about the machine, for every operating system. */

import type { DocFormat } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Location } from './agent-format.ts';

type Details = Partial<
  Pick<Location, 'format' | 'refuses' | 'variant' | 'each' | 'below' | 'owner' | 'unless'>
>;

/** For agents whose parser accepts nothing but plain JSON. */
export const plainJson = { comments: true, trailingCommas: true } as const;

/** A file of the user. Joins `parts` below the home folder. */
export function homeFile(machine: Machine, parts: readonly string[], details: Details = {}): Location {
  return userFile(machine.path.join(machine.homeDir, ...parts), details);
}

export function userFile(path: string, details: Details = {}): Location {
  return { path, scope: 'user', guarded: false, ...withFormat(path, details) };
}

export function managedFile(path: string, details: Details = {}): Location {
  return { path, scope: 'managed', guarded: false, ...withFormat(path, details) };
}

export function pluginFile(path: string, details: Details = {}): Location {
  return { path, scope: 'plugin', guarded: false, ...withFormat(path, details) };
}

/** A file at the project's root. If the root is the home folder, the file is the user's own. */
export function projectFile(machine: Machine, parts: readonly string[], details: Details = {}): Location {
  return inFolder(machine, machine.projectRoot, parts, details);
}

/** A file at the project's root that is not meant to be committed. */
export function localFile(machine: Machine, parts: readonly string[], details: Details = {}): Location {
  const location = projectFile(machine, parts, details);
  return location.guarded ? { ...location, scope: 'local' } : location;
}

/** One file in each folder from the project's root down to the working folder, so that the nearest wins. */
export function walkFiles(
  machine: Machine,
  parts: readonly string[],
  details: Details = {},
): readonly Location[] {
  return machine.walk.toReversed().map((folder) => inFolder(machine, folder, parts, details));
}

/** The same file in each folder above the project, without the home folder, whose file is the user's own. */
export function filesBeyond(machine: Machine, parts: readonly string[]): readonly string[] {
  return machine.beyond
    .filter((folder) => folder !== machine.homeDir)
    .map((folder) => machine.path.join(folder, ...parts));
}

function inFolder(machine: Machine, folder: string, parts: readonly string[], details: Details): Location {
  const path = machine.path.join(folder, ...parts);
  if (folder === machine.homeDir) return userFile(path, details);
  return { path, scope: 'project', guarded: true, ...withFormat(path, details) };
}

function withFormat(path: string, details: Details): Details & { readonly format: DocFormat } {
  return { ...details, format: details.format ?? formatOf(details.below ?? path) };
}

export function formatOf(path: string): DocFormat {
  if (path.endsWith('.toml')) return 'toml';
  return path.endsWith('.yaml') || path.endsWith('.yml') ? 'yaml' : 'json';
}

/** `$XDG_CONFIG_HOME` or `~/.config`. */
export function xdgConfig(machine: Machine, ...parts: readonly string[]): string {
  const moved = machine.env['XDG_CONFIG_HOME'];
  const base = moved === undefined || moved === '' ? machine.path.join(machine.homeDir, '.config') : moved;
  return machine.path.join(base, ...parts);
}

/** `%APPDATA%` on Windows. */
export function appData(machine: Machine, ...parts: readonly string[]): string {
  return machine.path.join(
    machine.env['APPDATA'] ?? machine.path.join(machine.homeDir, 'AppData', 'Roaming'),
    ...parts,
  );
}

/** `%LOCALAPPDATA%` on Windows. */
export function localAppData(machine: Machine, ...parts: readonly string[]): string {
  const base = machine.env['LOCALAPPDATA'] ?? machine.path.join(machine.homeDir, 'AppData', 'Local');
  return machine.path.join(base, ...parts);
}

/** `~/Library/Application Support` on macOS. */
export function applicationSupport(machine: Machine, ...parts: readonly string[]): string {
  return machine.path.join(machine.homeDir, 'Library', 'Application Support', ...parts);
}

/** The folder of a desktop program's settings: XDG on Linux, Application Support on macOS, AppData on Windows. */
export function desktopConfig(machine: Machine, ...parts: readonly string[]): string {
  if (machine.os === 'macos') return applicationSupport(machine, ...parts);
  return machine.os === 'windows' ? appData(machine, ...parts) : xdgConfig(machine, ...parts);
}

/** The folder that the variable names, or else the given one below the home folder. */
export function movedHome(machine: Machine, variable: string, ...fallback: readonly string[]): string {
  const moved = machine.env[variable];
  return moved === undefined || moved === ''
    ? machine.path.join(machine.homeDir, ...fallback)
    : machine.path.resolve(machine.cwd, moved);
}

/** Returns the path for the machine's operating system. */
export function perSystem(machine: Machine, paths: Readonly<Record<Machine['os'], string>>): string {
  return paths[machine.os];
}

export function sameFolder(left: string, right: string, machine: Machine): boolean {
  return normalFolder(left, machine) === normalFolder(right, machine);
}

/** On Windows the direction of slashes and the case of letters vary. */
export function normalFolder(folder: string, machine: Machine): string {
  return machine.os === 'windows' ? folder.replaceAll('\\', '/').toLowerCase() : folder;
}

/** Weakest first: users who have several of them mostly work in the last one. */
const vscodes = ['VSCodium', 'Code - Insiders', 'Code'] as const;
const forks = ['Antigravity', 'Kiro', 'Trae', 'Windsurf', 'Cursor'] as const;

/** The `User` folders of VS Code, its Insiders edition and VSCodium. A portable VS Code uses only its own. */
export function vscodeUserFolders(machine: Machine): readonly string[] {
  const portable = machine.env['VSCODE_PORTABLE'];
  if (portable !== undefined && portable !== '') {
    return [machine.path.join(movedHome(machine, 'VSCODE_PORTABLE'), 'user-data', 'User')];
  }
  return vscodes.map((product) => desktopConfig(machine, product, 'User'));
}

/** The `User` folders of all editors, for extensions that run in any of them. */
export function editorUserFolders(machine: Machine): readonly string[] {
  return [...forks.map((product) => desktopConfig(machine, product, 'User')), ...vscodeUserFolders(machine)];
}

/** The folder of an extension's own files in each editor. */
export function extensionFolders(machine: Machine, extension: string): readonly string[] {
  return editorUserFolders(machine).map((folder) => machine.path.join(folder, 'globalStorage', extension));
}
