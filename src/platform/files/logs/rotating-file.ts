/**
 * An append-only file of limited size. When full, it is renamed to `.1`, the previous `.1` to `.2`, and so
 * on.
 */

import { constants } from 'node:fs';
import { open, rename, stat, type FileHandle } from 'node:fs/promises';

export interface RotatingFile {
  /** Appends text. Calls must not overlap. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

export interface RotatingOptions {
  readonly maxBytes: number;
  /** The maximum number of files, including the current one. */
  readonly files: number;
}

export function createRotatingFile(file: string, { maxBytes, files }: RotatingOptions): RotatingFile {
  let handle: FileHandle | undefined;
  const close = async (): Promise<void> => {
    const held = handle;
    handle = undefined;
    await held?.close();
  };
  return {
    append: async (text) => {
      handle ??= await openLog(file);
      const [mine, named] = await Promise.all([handle.stat(), stat(file).catch(() => undefined)]);
      // Other processes may write the same log. After one of them rotates or removes it, this handle refers
      // to an old file.
      const isCurrent = named?.ino === mine.ino;
      const isFull = mine.size > 0 && mine.size + Buffer.byteLength(text) > maxBytes;
      if (isCurrent && isFull) await rotate(file, files);
      if (!isCurrent || isFull) {
        await close();
        handle = await openLog(file);
      }
      await handle.appendFile(text);
    },
    close,
  };
}

async function rotate(file: string, files: number): Promise<void> {
  for (let age = files - 1; age > 0; age -= 1) {
    const younger = age === 1 ? file : `${file}.${age - 1}`;
    // Not all of them exist yet.
    await rename(younger, `${file}.${age}`).catch(() => undefined);
  }
}

function openLog(file: string): Promise<FileHandle> {
  return open(
    file,
    constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
    0o600,
  );
}
