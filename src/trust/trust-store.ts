/** Where decisions are kept: `~/.holt/trust.json`, private, changed under a lock, never half written. */

import { parseJson } from '../documents/json.ts';
import { decodeText } from '../documents/decode.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Machine } from '../kernel/machine.ts';
import { writeFileAtomically } from '../platform/atomic-write.ts';
import type { Files } from '../platform/files.ts';
import { withFileLock } from '../platform/lock.ts';
import { makeHoltFolder } from '../platform/private-folder.ts';
import { readTrustRecords, type TrustRecord } from './trust-record.ts';

export interface TrustStore {
  load(): readonly TrustRecord[];
  /** Reads, changes and writes while nobody else does. */
  change(edit: (records: readonly TrustRecord[]) => readonly TrustRecord[]): Promise<void>;
}

const maxBytes = 64 << 20;
const lockTimeoutMs = 10_000;

export function createTrustStore(machine: Machine, files: Files): TrustStore {
  const file = machine.path.join(machine.holtHome, 'trust.json');
  return {
    load: () => loadRecords(file, files),
    change: async (edit) => {
      await makeHoltFolder(machine.holtHome, [], { os: machine.os });
      await withFileLock(
        file,
        async () => {
          const entries = edit(loadRecords(file, files, 'strict'));
          const text = `${JSON.stringify({ version: 1, entries }, undefined, 2)}\n`;
          await writeFileAtomically(file, Buffer.from(text), { os: machine.os, mode: 'private' });
        },
        { os: machine.os, holtHome: machine.holtHome, timeoutMs: lockTimeoutMs },
      );
    },
  };
}

/** A file that cannot be read approves nothing. It is not overwritten either: what it held may be wanted. */
function loadRecords(file: string, files: Files, mode: 'lenient' | 'strict' = 'lenient'): readonly TrustRecord[] {
  const outcome = files.load(file, maxBytes);
  if (outcome.kind === 'missing') return [];
  if (outcome.kind === 'file') {
    const document = parseJson(decodeText(outcome.bytes).text, { bom: false, utf16: false });
    if (document.ok) return readTrustRecords(document.root);
  }
  if (mode === 'lenient') return [];
  throw new HoltError('config-unwritable', `${file} cannot be read, so it is not changed`, { file, reason: outcome.kind }, {
    remedy: 'Mend it or move it away; all approvals in it are then asked for again.',
  });
}
