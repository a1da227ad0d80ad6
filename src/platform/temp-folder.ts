/** A folder of one run's own for what is too long to hand over. Made when it is first needed, gone with everything in it at the end. */

import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { writeNewText } from './writes/write-texts.ts';

export interface TempFolder {
  /** Writes a new file that only its owner can read, and gives its path. */
  write(name: string, text: string): Promise<string>;
  /** Never rejects. */
  remove(): Promise<void>;
}

export function createTempFolder(prefix: string): TempFolder {
  let making: Promise<string> | undefined;
  let isRemoved = false;
  const make = async (): Promise<string> => {
    // Made with mode 0700.
    const folder = await mkdtemp(path.join(os.tmpdir(), prefix));
    // A program that ends without closing leaves nothing, either.
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
