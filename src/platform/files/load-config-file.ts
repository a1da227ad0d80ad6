/**
 * Loads config files safely: limits their size, and refuses project files that other users could have
 * written.
 */

import { isInside, type Machine } from '../../kernel/machine.ts';
import type { ProblemCode } from '../../kernel/problems.ts';
import type { FileFacts, FileOutcome, Files } from './files.ts';

/** The user and group that the process acts for. Undefined on systems without such ids. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

export interface ConfigFileParts {
  readonly machine: Machine;
  readonly files: Files;
  readonly identity: Identity | undefined;
  /** Project folders whose files are read regardless of who can write to them. */
  readonly safeDirectories: readonly string[];
}

export type ConfigFileOutcome =
  | Extract<FileOutcome, { readonly kind: 'missing' | 'file' }>
  | {
      readonly kind: 'refused';
      readonly code: ProblemCode;
      readonly message: string;
      readonly remedy?: string;
    };

const maxGuardedBytes = 1 << 20;
const maxBytes = 64 << 20;
const safeRemedy =
  'Take the write permission from others, or list the folder in trust.safeDirectories of your settings.';

/** `guarded` is true for files that could come from a repository. */
export function loadConfigFile(path: string, guarded: boolean, parts: ConfigFileParts): ConfigFileOutcome {
  const limit = guarded ? maxGuardedBytes : maxBytes;
  const outcome = parts.files.load(path, limit);
  switch (outcome.kind) {
    case 'missing':
      return outcome;
    case 'unreadable':
      return {
        kind: 'refused',
        code: 'file-unreadable',
        message: `the file cannot be read: ${outcome.reason}`,
        remedy: 'Check its permissions and links.',
      };
    case 'not-regular':
      return {
        kind: 'refused',
        code: 'file-not-regular',
        message: `${outcome.what} is in the place of a file`,
      };
    case 'too-large':
      return {
        kind: 'refused',
        code: 'file-too-large',
        message: `the file is over ${limit >> 20} MiB and is not read`,
      };
    case 'file': {
      const danger = guarded ? dangerOf(outcome.facts, path, parts) : undefined;
      if (danger === undefined) return outcome;
      return {
        kind: 'refused',
        code: 'file-unsafe',
        message: `the file is not read: ${danger}`,
        remedy: safeRemedy,
      };
    }
  }
}

/** Returns why another user could have written the file, or undefined. */
function dangerOf(
  facts: FileFacts,
  path: string,
  { identity, safeDirectories, machine }: ConfigFileParts,
): string | undefined {
  if (identity === undefined || safeDirectories.some((folder) => isInside(path, folder, machine)))
    return undefined;
  if (facts.uid !== 0 && facts.uid !== identity.uid) return `it belongs to another user (uid ${facts.uid})`;
  if ((facts.mode & 0o002) !== 0) return 'everybody on this machine may write it';
  const isOthers = (facts.mode & 0o020) !== 0 && facts.gid !== identity.gid;
  return isOthers ? `a group that is not yours (gid ${facts.gid}) may write it` : undefined;
}
