/** Where a command would be found, as the system's own search does it, but never in the working folder by accident. */

import fs from 'node:fs';
import nodePath from 'node:path';

import type { OperatingSystem } from '../kernel/machine.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ProgramSearch {
  readonly os: OperatingSystem;
  readonly env: Environment;
  /** What a command with a slash in it is relative to. */
  readonly cwd: string;
  /** Whether a program is there; looks at the disk unless given. */
  readonly isProgram?: (path: string) => boolean;
}

/** The absolute path of a program, or undefined when there is none. */
export function findProgram(command: string, search: ProgramSearch): string | undefined {
  const { os, env, cwd, isProgram = isProgramOnDisk } = search;
  if (command === '' || command.includes('\0')) return undefined;
  const path = os === 'windows' ? nodePath.win32 : nodePath.posix;
  const endings = os === 'windows' ? windowsEndings(command, env) : [''];
  const hasFolder = os === 'windows' ? /[\\/:]/.test(command) : command.includes('/');
  const folders = hasFolder ? [cwd] : searchFolders(env, os);
  for (const folder of folders) {
    for (const ending of endings) {
      const candidate = path.resolve(folder, command + ending);
      if (isProgram(candidate)) return candidate;
    }
  }
  return undefined;
}

/** A name without an ending is a script for another system there: `npx` beside `npx.cmd`. */
function windowsEndings(command: string, env: Environment): readonly string[] {
  const listed = valueOf(env, 'PATHEXT', 'windows') ?? '.COM;.EXE;.BAT;.CMD';
  const endings = listed.split(';').filter((ending) => ending.startsWith('.'));
  const isComplete = endings.some((ending) => command.toLowerCase().endsWith(ending.toLowerCase()));
  return isComplete ? ['', ...endings] : endings;
}

/** Empty and relative entries of PATH would let the folder we happen to be in choose the program. */
export function searchFolders(env: Environment, os: OperatingSystem): readonly string[] {
  const path = os === 'windows' ? nodePath.win32 : nodePath.posix;
  const folders = (valueOf(env, 'PATH', os) ?? '').split(path.delimiter);
  return folders.filter((folder) => folder !== '' && path.isAbsolute(folder));
}

/** Windows does not tell capitals apart in names of variables. */
export function valueOf(env: Environment, name: string, os: OperatingSystem): string | undefined {
  if (os !== 'windows') return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}

function isProgramOnDisk(path: string): boolean {
  try {
    if (!fs.statSync(path).isFile()) return false;
    fs.accessSync(path, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
