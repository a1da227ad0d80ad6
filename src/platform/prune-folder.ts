/** Keeps a folder of memories small: the oldest files go when there are too many, or when they weigh too much together. */

import { lstat, readdir, unlink } from 'node:fs/promises';
import path from 'node:path';

export interface FolderBounds {
  readonly maxFiles: number;
  readonly maxBytes: number;
}

export interface FolderSize {
  readonly files: number;
  readonly bytes: number;
}

/** What cannot be removed stays; there will be a next time. Gives how much is left. */
export async function pruneFolder(folder: string, { maxFiles, maxBytes }: FolderBounds): Promise<FolderSize> {
  const names = await readdir(folder).catch(() => []);
  const looks = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      const stats = await lstat(file).catch(() => undefined);
      return stats?.isFile() ? [{ file, bytes: stats.size, at: stats.mtimeMs }] : [];
    }),
  );
  let [count, bytes] = [0, 0];
  let left: FolderSize = { files: 0, bytes: 0 };
  for (const entry of looks.flat().toSorted((one, other) => other.at - one.at)) {
    count += 1;
    bytes += entry.bytes;
    if (count > maxFiles || bytes > maxBytes) await unlink(entry.file).catch(() => undefined);
    else left = { files: count, bytes };
  }
  return left;
}
