/** Limits a cache folder by number of files, total size and age. The oldest files are removed first. */

import { lstat, readdir, unlink } from 'node:fs/promises';
import path from 'node:path';

export interface FolderBounds {
  readonly maxFiles: number;
  readonly maxBytes: number;
  /** Files last modified before this time (in milliseconds since 1970) are always removed. */
  readonly storedSince?: number;
  /** Files whose names do not match belong to someone else and are not touched. */
  readonly names?: RegExp;
}

export interface FolderSize {
  readonly files: number;
  readonly bytes: number;
}

/** Removes files and returns what is left. Files that cannot be removed stay until the next call. */
export async function pruneFolder(
  folder: string,
  { maxFiles, maxBytes, storedSince = -Infinity, names: ours = /^/ }: FolderBounds,
): Promise<FolderSize> {
  const names = await readdir(folder).catch(() => []);
  const looks = await Promise.all(
    names
      .filter((name) => ours.test(name))
      .map(async (name) => {
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
    const isOver = count > maxFiles || bytes > maxBytes || entry.at < storedSince;
    if (isOver) await unlink(entry.file).catch(() => undefined);
    else left = { files: count, bytes };
  }
  return left;
}
