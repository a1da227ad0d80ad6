/** Stores the lines of earlier sessions. The file is private, bounded, and safe to delete. */

import type { Machine } from '../kernel/machine.ts';
import { writeFileAtomically } from '../platform/files/atomic-write.ts';
import { loadPrivateFile } from '../platform/files/private-file.ts';
import { makeHoltFolder } from '../platform/files/private-folder.ts';

const maxLines = 1000;
const maxBytes = 4 << 20;

export interface HistoryFile {
  /** Newest first. */
  load(): Promise<readonly string[]>;
  save(lines: readonly string[]): Promise<void>;
}

export function createHistoryFile({ os, holtHome, path }: Machine): HistoryFile {
  const file = path.join(holtHome, 'cache', 'repl-history');
  return {
    load: async () => {
      const found = await loadPrivateFile(file, { os, maxBytes }).catch(() => undefined);
      if (found === undefined || found.kind === 'missing') return [];
      return Buffer.from(found.bytes)
        .toString('utf8')
        .split('\n')
        .filter((line) => line !== '');
    },
    save: async (lines) => {
      await makeHoltFolder(holtHome, ['cache'], { os });
      const text = lines
        .slice(0, maxLines)
        .map((line) => `${line.replaceAll('\n', ' ')}\n`)
        .join('');
      await writeFileAtomically(file, Buffer.from(text), { os, mode: 'private', folders: 'private' });
    },
  };
}
