/** Locates the user's files of VS Code and the editors derived from it. */

import type { Machine } from '../kernel/machine.ts';
import { desktopConfig, movedHome } from './places.ts';

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
