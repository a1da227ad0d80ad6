/**
 * Reads a file that holds secrets. The file must be a regular file of this user without further hard links,
 * because a link may lead to someone else's file. Removes other users' access on the way.
 */

import { closeSync, constants, fchmodSync, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';

import { HoltError, errorCode } from '../../kernel/errors.ts';
import type { OperatingSystem } from '../../kernel/machine.ts';

export interface PrivateFileOptions {
  readonly os: OperatingSystem;
  readonly maxBytes: number;
  /** The required owner of the file; defaults to the user of this process. */
  readonly uid?: number;
}

export type PrivateFile =
  | { readonly kind: 'missing' }
  /** `tightened`: other users had access to the file until now. */
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly tightened: boolean };

const reasons = {
  link: 'is a link',
  'not-a-file': 'is not a plain file',
  'owned-by-another': 'belongs to another user',
  'second-name': 'has a second name somewhere (a hard link)',
  'too-large': 'is too large',
} as const;

const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Throws `config-unwritable` for a file that is not used; `details.reason` has the cause. Synchronous inside:
 * reading a small file takes less time than waiting for the thread pool, and at startup there is nothing else
 * to do.
 */
export async function loadPrivateFile(file: string, options: PrivateFileOptions): Promise<PrivateFile> {
  let handle: number | undefined;
  try {
    handle = openSync(file, flags);
    const stats = fstatSync(handle);
    const danger = findDanger(stats, options);
    if (danger !== undefined) throw refuse(file, danger, reasons[danger]);
    const tightened = options.os !== 'windows' && (stats.mode & 0o077) !== 0;
    if (tightened) fchmodSync(handle, 0o600);
    return { kind: 'file', bytes: readFileSync(handle), tightened };
  } catch (error) {
    if (HoltError.is(error)) throw error;
    const code = errorCode(error) ?? String(error);
    if (code === 'ENOENT') return { kind: 'missing' };
    if (code === 'ENOTDIR') throw refuse(path.dirname(file), 'not-a-folder', 'is not a folder', error);
    if (code === 'ELOOP') throw refuse(file, 'link', reasons.link, error);
    // A socket, or a device without a driver, cannot be opened at all.
    throw code === 'ENXIO'
      ? refuse(file, 'not-a-file', reasons['not-a-file'], error)
      : refuse(file, code, `cannot be read (${code})`, error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function findDanger(
  stats: Stats,
  { os, uid, maxBytes }: PrivateFileOptions,
): keyof typeof reasons | undefined {
  if (!stats.isFile()) return 'not-a-file';
  if (stats.size > maxBytes) return 'too-large';
  if (os === 'windows') return undefined;
  if (stats.uid !== (uid ?? process.getuid?.())) return 'owned-by-another';
  return stats.nlink > 1 ? 'second-name' : undefined;
}

function refuse(file: string, reason: string, says: string, cause?: unknown): HoltError<'config-unwritable'> {
  const remedy = 'Move it away; holt makes a new one. What was stored in it has to be entered again.';
  return new HoltError(
    'config-unwritable',
    `${file} ${says}, so holt does not use it`,
    { file, reason },
    { cause, remedy },
  );
}

/**
 * Sets mode 0600 and returns the previous mode. Does not follow links, because the target may belong to
 * another user.
 */
export async function makePrivate(file: string): Promise<number> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { mode } = await handle.stat();
    await handle.chmod(0o600);
    return mode & 0o777;
  } finally {
    await handle.close();
  }
}
