/**
 * Resolves the file that a write should replace. Follows links within the same folder and refuses links that
 * lead elsewhere.
 */

import { constants, type Stats } from 'node:fs';
import { access, lstat, mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';

import { isInside } from '../../../kernel/machine.ts';
import { errorCode } from '../../error-code.ts';
import { realPathOf } from '../real-path.ts';
import { refuseWrite } from './refusals.ts';

export interface WriteTarget {
  readonly folder: string;
  /** The file to replace, with all links in its path resolved. */
  readonly file: string;
  /** The current file, if any. */
  readonly existing: Stats | undefined;
}

export interface TargetRules {
  /**
   * The real file must be in this folder, so that a linked folder in a project cannot reach the user's files.
   */
  readonly within?: string;
  /**
   * The mode of missing folders: 0700 for holt's own (`private`), or the user's default (also when
   * undefined).
   */
  readonly folders?: 'private' | 'default';
}

export async function resolveTarget(asked: string, rules: TargetRules): Promise<WriteTarget> {
  const folder = await realPathOf(path.dirname(asked));
  if (rules.within !== undefined && !isInside(folder, await realPathOf(rules.within), { path })) {
    throw refuseWrite(asked, 'link-outside-folder');
  }
  await mkdir(folder, { recursive: true, mode: rules.folders === 'private' ? 0o700 : 0o777 });

  const named = path.join(folder, path.basename(asked));
  const first = await look(named);
  if (first === undefined) return { folder, file: named, existing: undefined };
  const file = first.isSymbolicLink() ? await followInside(named, folder, asked) : named;
  const existing = await lstat(file);
  if (!existing.isFile()) throw refuseWrite(asked, 'not-a-file');
  // A rename needs no permission on the file itself, but holt does not replace a file that it may not write
  // to.
  await access(file, constants.W_OK);
  return { folder, file, existing };
}

async function followInside(link: string, folder: string, asked: string): Promise<string> {
  const file = await realpath(link).catch((error: unknown) => {
    throw ['ENOENT', 'ELOOP'].includes(errorCode(error) ?? '')
      ? refuseWrite(asked, 'link-broken', error)
      : error;
  });
  if (path.dirname(file) !== folder) throw refuseWrite(asked, 'link-outside-folder');
  return file;
}

async function look(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
