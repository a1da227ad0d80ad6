/** Keeps a folder of memories small: the oldest files go when there are too many, when they weigh too much together, or by age. */

import { lstat, readdir, unlink } from 'node:fs/promises';
import path from 'node:path';

export interface FolderBounds {
  readonly maxFiles: number;
  readonly maxBytes: number;
  /** What was last written before this moment goes in any case. */
  readonly keptSince?: number;
  /** Whatever is called otherwise is somebody else's and stays. */
  readonly names?: RegExp;
}

export interface FolderSize {
  readonly files: number;
  readonly bytes: number;
}

/** What cannot be removed stays; there will be a next time. Gives how much is left. */
export async function pruneFolder(
  folder: string,
  { maxFiles, maxBytes, keptSince = -Infinity, names: ours = /^/ }: FolderBounds,
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
    const isOver = count > maxFiles || bytes > maxBytes || entry.at < keptSince;
    if (isOver) await unlink(entry.file).catch(() => undefined);
    else left = { files: count, bytes };
  }
  return left;
}
