/**
 * Stores text in files that outlive the process, below `~/.holt/cache`, readable only by their owner. Later
 * processes remove old files.
 */

import { randomBytes } from 'node:crypto';
import path from 'node:path';

import type { Machine } from '../../kernel/machine.ts';
import { makeHoltFolder } from './private-folder.ts';
import { pruneFolder } from './prune-folder.ts';
import { writeNewText } from './writes/write-texts.ts';

export interface KeptTexts {
  /** Writes a new file that only its owner can read, and returns its path. */
  write(text: string): Promise<string>;
  /** Removes files that are older than a day, and the oldest ones beyond the limits. Never rejects. */
  prune(): Promise<void>;
}

const keptMs = 24 * 3600 * 1000;
const bounds = { maxFiles: 1000, maxBytes: 1 << 30, names: /^result-[0-9a-f]{12}\.txt$/ };

export function createKeptTexts(
  { holtHome, os }: Pick<Machine, 'holtHome' | 'os'>,
  now: () => number,
): KeptTexts {
  const below = ['cache', 'results'];
  const folder = path.join(holtHome, ...below);
  return {
    write: async (text) => {
      await makeHoltFolder(holtHome, below, { os });
      const file = path.join(folder, `result-${randomBytes(6).toString('hex')}.txt`);
      await writeNewText(file, text);
      return file;
    },
    prune: async () => void (await pruneFolder(folder, { ...bounds, keptSince: now() - keptMs })),
  };
}
