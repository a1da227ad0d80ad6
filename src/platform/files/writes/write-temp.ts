/** Writes new content to a temporary file with the permissions of the file it will replace. */

import { constants, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

import { stampOf, type FileStamp } from '../file-stamp.ts';
import { writeTexts } from './write-texts.ts';

export interface Keeping {
  readonly existing: Stats | undefined;
  readonly mode: 'keep' | 'private';
  readonly durable: boolean;
}

/** Bytes, or strings to be concatenated. */
export type FileContent = Uint8Array | readonly string[];

/** Returns the stamp of the new file, which stays the same when the file is renamed. */
export async function writeTemp(temp: string, content: FileContent, keeping: Keeping): Promise<FileStamp> {
  // Private at first; wider permissions are only set once the owner is right.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(temp, flags, 0o600);
  try {
    if (content instanceof Uint8Array) await handle.writeFile(content);
    else await writeTexts(handle, content);
    if (keeping.existing !== undefined) {
      const isGroupKept = await keepOwner(handle, keeping.existing);
      if (keeping.mode === 'keep') await handle.chmod(keptMode(keeping.existing.mode, isGroupKept));
    }
    if (keeping.durable) await handle.sync();
    return stampOf(await handle.stat());
  } finally {
    await handle.close();
  }
}

/** Only root can change a file's owner, but an ordinary user can still set one of their own groups. */
async function keepOwner(handle: FileHandle, { uid, gid }: Stats): Promise<boolean> {
  const ours = await handle.stat();
  if (ours.uid !== uid && (await succeeds(handle.chown(uid, gid)))) return true;
  return ours.gid === gid || succeeds(handle.chown(ours.uid, gid));
}

function keptMode(mode: number, isGroupKept: boolean): number {
  const everybody = mode & 0o007;
  // A group that could not be preserved gets no more permissions than other users have.
  return isGroupKept ? mode & 0o777 : (mode & 0o707) | ((everybody << 3) & mode);
}

async function succeeds(action: Promise<void>): Promise<boolean> {
  try {
    await action;
    return true;
  } catch {
    return false;
  }
}
