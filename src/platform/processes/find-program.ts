/** Finds a command's program as the system would, but never in the working folder by accident. */

import fs from 'node:fs';
import nodePath from 'node:path';

import type { OperatingSystem } from '../../kernel/machine.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ProgramSearch {
  readonly os: OperatingSystem;
  readonly env: Environment;
  /** The base of relative commands, meaning those that contain a slash. */
  readonly cwd: string;
  /** Tells whether a path is an executable program. Checks the disk by default. */
  readonly isProgram?: (path: string) => boolean;
}

/** Returns the absolute path of a program, or undefined when there is none. */
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

/**
 * Returns the extensions to try. On Windows, a file without one is a script for another system, such as `npx`
 * beside `npx.cmd`.
 */
function windowsEndings(command: string, env: Environment): readonly string[] {
  const listed = valueOf(env, 'PATHEXT', 'windows') ?? '.COM;.EXE;.BAT;.CMD';
  const endings = listed.split(';').filter((ending) => ending.startsWith('.'));
  const isComplete = endings.some((ending) => command.toLowerCase().endsWith(ending.toLowerCase()));
  return isComplete ? ['', ...endings] : endings;
}

/**
 * Returns the absolute folders in PATH. Empty and relative entries would let the current folder choose the
 * program.
 */
export function searchFolders(env: Environment, os: OperatingSystem): readonly string[] {
  const path = os === 'windows' ? nodePath.win32 : nodePath.posix;
  const folders = (valueOf(env, 'PATH', os) ?? '').split(path.delimiter);
  return folders.filter((folder) => folder !== '' && path.isAbsolute(folder));
}

/** Variable names are case-insensitive on Windows. */
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
