/**
 * Stores long results in files that only their owner can read: below `~/.holt/cache`, where later processes
 * remove old ones, or in a temporary folder of this process.
 */

import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Machine } from '../../kernel/machine.ts';
import { makeHoltFolder } from './private-folder.ts';
import { pruneFolder } from './prune-folder.ts';
import { writeNewText } from './writes/temp-files.ts';

interface StoredResults {
  /** Writes a new file that only its owner can read, and returns its path. */
  write(text: string): Promise<string>;
  /** Removes files that are older than a day, and the oldest ones beyond the limits. Never rejects. */
  prune(): Promise<void>;
}

const storedMs = 24 * 3600 * 1000;
const bounds = { maxFiles: 1000, maxBytes: 1 << 30, names: /^result-[0-9a-f]{12}\.txt$/ };

export function createStoredResults(
  { holtHome, os }: Pick<Machine, 'holtHome' | 'os'>,
  now: () => number,
): StoredResults {
  const below = ['cache', 'results'];
  const folder = path.join(holtHome, ...below);
  return {
    write: async (text) => {
      await makeHoltFolder(holtHome, below, { os });
      const file = path.join(folder, `result-${randomBytes(6).toString('hex')}.txt`);
      await writeNewText(file, text);
      return file;
    },
    prune: async () => void (await pruneFolder(folder, { ...bounds, storedSince: now() - storedMs })),
  };
}

interface TempFolder {
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
    const folder = await mkdtemp(path.join(tmpdir(), prefix));
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
