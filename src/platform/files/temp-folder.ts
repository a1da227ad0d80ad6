/**
 * A temporary folder for text that is too long to pass directly. It is created on first use and removed at
 * the end.
 */

import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { writeNewText } from './writes/write-texts.ts';

export interface TempFolder {
  /** Writes a new file that only its owner can read, and returns its path. */
  write(name: string, text: string): Promise<string>;
  /** Never rejects. */
  remove(): Promise<void>;
}

export function createTempFolder(prefix: string): TempFolder {
  let making: Promise<string> | undefined;
  let isRemoved = false;
  const make = async (): Promise<string> => {
    // `mkdtemp` creates it with mode 0700.
    const folder = await mkdtemp(path.join(os.tmpdir(), prefix));
    // Clean up even if the program exits without calling `remove`.
    process.once('exit', () => {
      if (!isRemoved) rmSync(folder, { recursive: true, force: true });
    });
    return folder;
  };
  return {
    write: async (name, text) => {
      making ??= make();
      const file = path.join(await making, name);
      await writeNewText(file, text);
      return file;
    },
    remove: async () => {
      if (making === undefined || isRemoved) return;
      isRemoved = true;
      const folder = await making.catch(() => undefined);
      if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    },
  };
}
