/** Stores the `EraMemory`, a cache of facts about servers, in `~/.holt/cache/eras.json`. */

import { decodeText } from '../documents/decode.ts';
import type { Machine } from '../kernel/machine.ts';
import { writeFileAtomically } from '../platform/files/atomic-write.ts';
import type { Files } from '../platform/files/files.ts';
import { withFileLock } from '../platform/files/lock.ts';
import { makeHoltFolder } from '../platform/files/private-folder.ts';
import type { EraStore } from './era-memory.ts';

const maxBytes = 16 << 20;
const lockTimeoutMs = 2000;

export function createEraFile(machine: Machine, files: Files): EraStore {
  const { path, holtHome, os } = machine;
  const file = path.join(holtHome, 'cache', 'eras.json');
  const load = (): unknown => {
    const outcome = files.load(file, maxBytes);
    if (outcome.kind !== 'file') return undefined;
    try {
      return JSON.parse(decodeText(outcome.bytes).text);
    } catch {
      return undefined;
    }
  };
  return {
    load,
    change: async (edit) => {
      await makeHoltFolder(holtHome, ['cache'], { os });
      const work = async (): Promise<void> => {
        const bytes = Buffer.from(`${JSON.stringify(edit(load()))}\n`);
        await writeFileAtomically(file, bytes, { os, mode: 'private', durable: false });
      };
      await withFileLock(file, work, { os, holtHome, timeoutMs: lockTimeoutMs });
    },
  };
}
