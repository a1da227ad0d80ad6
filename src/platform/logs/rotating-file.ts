/** A file that is only added to and never grows past a size: when full it becomes `.1`, that one `.2`, and so on. */

import { constants } from 'node:fs';
import { open, rename, stat, type FileHandle } from 'node:fs/promises';

export interface RotatingFile {
  /** One at a time. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

export interface RotatingOptions {
  readonly maxBytes: number;
  /** How many there are at most, this one included. */
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
      // Another process may write the same log: once it has rotated, or somebody removed it, ours has another name.
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
