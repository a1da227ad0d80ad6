/**
 * Prepares the path of a unix socket: the folder must be private to this user and no other program may be
 * listening. Existing permissions are never changed; a folder that others can enter is refused, because it
 * may be shared on purpose.
 */

import type { Stats } from 'node:fs';
import { lstat, mkdir, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';

import { HoltError, errorCode } from '../../kernel/errors.ts';

/** The system truncates longer paths, which would then name another file. */
const longestBytes = 103;

/** Makes the path available and returns it in full. Throws `folder-unsafe` or `usage-invalid`. */
export async function prepareSocketFile(asked: string): Promise<string> {
  const file = path.resolve(asked);
  if (Buffer.byteLength(file) > longestBytes)
    throw refuse(file, `is longer than ${longestBytes} bytes`, 'Choose a shorter path for the socket.');
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const danger = findDanger(await lstat(folder));
  if (danger !== undefined) {
    const { reason, says } = danger;
    const remedy = 'Put the socket in a folder of your own with mode 0700.';
    throw new HoltError('folder-unsafe', `${folder} ${says}`, { folder, reason }, { remedy });
  }
  await removeStaleSocket(file);
  return file;
}

export async function removeSocketFile(file: string): Promise<void> {
  await unlink(file).catch(() => undefined);
}

function findDanger(stats: Stats): { readonly reason: string; readonly says: string } | undefined {
  if (stats.isSymbolicLink()) return { reason: 'link', says: 'is a link' };
  if (!stats.isDirectory()) return { reason: 'not-a-folder', says: 'is not a folder' };
  const uid = process.geteuid?.();
  if (uid === undefined) return undefined;
  if (stats.uid !== uid) return { reason: 'owned-by-another', says: 'belongs to another user' };
  return (stats.mode & 0o077) === 0
    ? undefined
    : { reason: 'open-to-others', says: 'can be entered by others' };
}

/** Removes a socket that no process listens on. Anything else is left in place. */
async function removeStaleSocket(file: string): Promise<void> {
  const there = await lstat(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (there === undefined) return;
  if (!there.isSocket()) throw refuse(file, 'is there and is not a socket', 'Move it away.');
  if (await isListenedAt(file)) throw refuse(file, 'is in use by another program', 'Choose another path.');
  await unlink(file);
}

function isListenedAt(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path: file });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => resolve(errorCode(error) !== 'ECONNREFUSED'));
  });
}

function refuse(file: string, says: string, remedy: string): HoltError<'usage-invalid'> {
  return new HoltError('usage-invalid', `${file} ${says}`, { given: file }, { remedy });
}
