/**
 * Folders that only their owner can access. They are created with mode 0700 and checked before use, because
 * another user could have planted files in a folder that others can write to. On Windows, folders in a
 * profile inherit private access, so only links are refused.
 */

import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { HoltError, errorCode } from '../../kernel/errors.ts';
import type { OperatingSystem } from '../../kernel/machine.ts';
import { plainReason } from './writes/refusals.ts';

export interface PrivateFolderOptions {
  readonly os: OperatingSystem;
  /** The required owner of the folder; defaults to the user of this process. */
  readonly uid?: number;
}

export interface PrivateFolder {
  readonly made: boolean;
  /** True when other users had access until now. */
  readonly tightened: boolean;
}

/** Why a folder is refused. Also the `reason` of `folder-unsafe`. */
type FolderDanger = 'link' | 'not-a-folder' | 'owned-by-another' | 'writable-by-others';

const dangers: Record<FolderDanger, { readonly says: string; readonly remedy: string }> = {
  link: { says: 'is a link', remedy: 'Put a real folder there, or set HOLT_HOME to the folder it leads to.' },
  'not-a-folder': { says: 'is not a folder', remedy: 'Move it away; holt makes the folder itself.' },
  'owned-by-another': { says: 'belongs to another user', remedy: 'Set HOLT_HOME to a folder of your own.' },
  'writable-by-others': {
    says: 'can be written by others',
    remedy: 'Look through what is in it, then take their rights away: chmod 700.',
  },
};

/**
 * Creates the folder, or checks an existing one. Missing parent folders are created with the same mode.
 * Throws `folder-unsafe` or `config-unwritable`.
 */
export async function makePrivateFolder(
  place: string,
  options: PrivateFolderOptions,
): Promise<PrivateFolder> {
  // With a trailing slash, the check would follow a link.
  const folder = path.resolve(place);
  try {
    const there = await lookAt(folder);
    if (there !== undefined) return { made: false, tightened: await tighten(folder, there, options) };
    const made = await makeWithParents(folder);
    return { made, tightened: await tighten(folder, await lstat(folder), options) };
  } catch (error) {
    if (HoltError.is(error)) throw error;
    const reason = errorCode(error) ?? String(error);
    const message = `Could not make the folder ${folder} (${plainReason(reason) ?? reason})`;
    throw new HoltError('config-unwritable', message, { file: folder, reason }, { cause: error });
  }
}

/**
 * Creates holt's own folder, or one below it. A new holt folder gets a `.gitignore`, so that a repository
 * around it does not pick up its files.
 */
export async function makeHoltFolder(
  holtHome: string,
  below: readonly string[],
  options: PrivateFolderOptions,
): Promise<PrivateFolder> {
  let result = await makePrivateFolder(holtHome, options);
  if (result.made) await writeFile(path.join(holtHome, '.gitignore'), '*\n', { mode: 0o600 });
  let folder = holtHome;
  for (const name of below) {
    folder = path.join(folder, name);
    result = await makePrivateFolder(folder, options);
  }
  return result;
}

async function lookAt(folder: string): Promise<Stats | undefined> {
  try {
    return await lstat(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

/**
 * Creates folders one by one, because Node's recursive `mkdir` never ends where the system reports an
 * existing parent as missing, as it does below /proc. Returns false when another process created the folder
 * first.
 */
async function makeWithParents(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    const parent = path.dirname(folder);
    if (errorCode(error) !== 'ENOENT' || parent === folder || (await isThere(parent))) throw error;
    await makeWithParents(parent);
    return makeWithParents(folder);
  }
}

async function isThere(folder: string): Promise<boolean> {
  return lstat(folder).then(
    () => true,
    () => false,
  );
}

async function tighten(folder: string, stats: Stats, options: PrivateFolderOptions): Promise<boolean> {
  const danger = findDanger(stats, options);
  if (danger !== undefined) {
    const { says, remedy } = dangers[danger];
    throw new HoltError('folder-unsafe', `${folder} ${says}`, { folder, reason: danger }, { remedy });
  }
  if (options.os === 'windows' || (stats.mode & 0o077) === 0) return false;
  // The handle refuses links, so replacing the folder after the check cannot affect another folder.
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    await handle.chmod(0o700);
  } finally {
    await handle.close();
  }
  return true;
}

function findDanger(stats: Stats, options: PrivateFolderOptions): FolderDanger | undefined {
  if (stats.isSymbolicLink()) return 'link';
  if (!stats.isDirectory()) return 'not-a-folder';
  if (options.os === 'windows') return undefined;
  if (stats.uid !== (options.uid ?? process.getuid?.())) return 'owned-by-another';
  return (stats.mode & 0o022) === 0 ? undefined : 'writable-by-others';
}
