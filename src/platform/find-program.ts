/** Where a command would be found, as the system's own search does it, but never in the working folder by accident. */

import fs from 'node:fs';
import nodePath from 'node:path';

import type { OperatingSystem } from '../kernel/machine.ts';

export interface ProgramSearch {
  readonly os: OperatingSystem;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What a command with a slash in it is relative to. */
  readonly cwd: string;
}

/** The absolute path of a program, or undefined when there is none. */
export function findProgram(command: string, { os, env, cwd }: ProgramSearch): string | undefined {
  const endings = os === 'windows' ? ['', ...(env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';')] : [''];
  const hasFolder = /[\\/]/.test(command);
  const folders = hasFolder ? [cwd] : searchFolders(env, os);
  for (const folder of folders) {
    for (const ending of endings) {
      const candidate = nodePath.resolve(folder, command + ending);
      if (isProgram(candidate)) return candidate;
    }
  }
  return undefined;
}

/** Empty and relative entries of PATH would let the folder we happen to be in choose the program. */
export function searchFolders(env: Readonly<Record<string, string | undefined>>, os: OperatingSystem): readonly string[] {
  const name = os === 'windows' ? (Object.keys(env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH') : 'PATH';
  const separator = os === 'windows' ? ';' : ':';
  return (env[name] ?? '').split(separator).filter((folder) => folder !== '' && nodePath.isAbsolute(folder));
}

function isProgram(path: string): boolean {
  try {
    if (!fs.statSync(path).isFile()) return false;
    fs.accessSync(path, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
