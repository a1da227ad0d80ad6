/**
 * Folders nobody else may look into: made with mode 0700, and checked before they are used, because what lies in
 * one that others could write to may be theirs. On Windows a profile's folders are private by inheritance; there
 * only links are refused.
 */

import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { HoltError } from '../kernel/errors.ts';
import type { OperatingSystem } from '../kernel/machine.ts';
import { errorCode } from './error-code.ts';
import { plainReason } from './writes/refusals.ts';

export interface PrivateFolderOptions {
  readonly os: OperatingSystem;
  /** Who must own the folder; this process's user when left out. */
  readonly uid?: number;
}

export interface PrivateFolder {
  readonly made: boolean;
  /** True when others could look into it until now. */
  readonly tightened: boolean;
}

/** Why a folder is not used. Also the `reason` of `folder-unsafe`. */
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

/** Makes the folder, or checks the one that is there. Missing folders above it are made just as private. */
export async function makePrivateFolder(
  place: string,
  options: PrivateFolderOptions,
): Promise<PrivateFolder> {
  // A slash at the end would make the check look through a link.
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

/** holt's own folder, or one below it. When holt's own is new, no repository around it picks up what it holds. */
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
 * Step by step: Node's own way tries for ever where the system says that a parent is missing which is there, as it does
 * below /proc. False when another process was faster.
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
  // Through a handle that refuses links, so that a swap after the check changes nothing elsewhere.
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
