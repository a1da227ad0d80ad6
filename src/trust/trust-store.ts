/** Stores decisions in `~/.holt/trust.json`: private, changed under a lock, written atomically. */

import { decodeText } from '../documents/decode.ts';
import { parseJson } from '../documents/json.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Machine } from '../kernel/machine.ts';
import { writeFileAtomically } from '../platform/files/atomic-write.ts';
import type { FileOutcome, Files } from '../platform/files/files.ts';
import type { Identity } from '../platform/files/load-config-file.ts';
import { withFileLock } from '../platform/files/lock.ts';
import { readIdentity } from '../platform/machine-facts.ts';
import { makeHoltFolder } from '../platform/files/private-folder.ts';
import { readTrustRecords, type FolderRecord, type TrustReading, type TrustRecord } from './trust-record.ts';

export interface TrustStore {
  readonly file: string;
  /** Returns the decisions. A file that cannot be read, or that other users can write, yields none. */
  load(): readonly TrustRecord[];
  /** Why the existing file does not count; undefined when it does. */
  danger(): string | undefined;
  /** Number of items in the file that cannot be read. They decide nothing and are preserved. */
  unreadableCount?(): number;
  /**
   * Reads, changes and writes the decisions under a lock. Rejects with `config-unwritable` when `danger()`
   * reports a reason.
   */
  change(edit: (records: readonly TrustRecord[]) => readonly TrustRecord[]): Promise<void>;
  /** Folders the user decided on. A store without these two methods trusts no folder. */
  folders?(): readonly FolderRecord[];
  changeFolders?(edit: (folders: readonly FolderRecord[]) => readonly FolderRecord[]): Promise<void>;
}

const maxBytes = 64 << 20;
const lockTimeoutMs = 60_000;

type Reading = ({ readonly ok: true } & TrustReading) | { readonly ok: false; readonly reason: string };

export function createTrustStore(
  machine: Machine,
  files: Files,
  identity: Identity | undefined = readIdentity(),
): TrustStore {
  const file = machine.path.join(machine.holtHome, 'trust.json');
  const read = (): Reading => readStore(files.load(file, maxBytes), identity);
  const update = async (edit: (reading: TrustReading) => TrustReading): Promise<void> => {
    await makeHoltFolder(machine.holtHome, [], { os: machine.os });
    const lock = { os: machine.os, holtHome: machine.holtHome, timeoutMs: lockTimeoutMs };
    await withFileLock(
      file,
      async () => {
        const reading = read();
        // Do not overwrite the file: the user may need what it holds.
        if (!reading.ok) throw unusable(file, reading.reason);
        const text = `${JSON.stringify(documentOf(edit(reading)), undefined, 2)}\n`;
        await writeFileAtomically(file, Buffer.from(text), { os: machine.os, mode: 'private' });
      },
      lock,
    );
  };
  return {
    file,
    load: () => {
      const reading = read();
      return reading.ok ? reading.records : [];
    },
    danger: () => {
      const reading = read();
      return reading.ok ? undefined : reading.reason;
    },
    unreadableCount: () => {
      const reading = read();
      return reading.ok ? reading.others.length + reading.otherFolders.length : 0;
    },
    change: (edit) => update((reading) => ({ ...reading, records: edit(reading.records) })),
    folders: () => {
      const reading = read();
      return reading.ok ? reading.folders : [];
    },
    changeFolders: (edit) => update((reading) => ({ ...reading, folders: edit(reading.folders) })),
  };
}

function documentOf({ records, others, folders, otherFolders }: TrustReading): object {
  const allFolders = [...folders, ...otherFolders];
  return {
    version: 1,
    entries: [...records, ...others],
    ...(allFolders.length === 0 ? {} : { folders: allFolders }),
  };
}

function readStore(outcome: FileOutcome, identity: Identity | undefined): Reading {
  if (outcome.kind === 'missing') return { ok: true, records: [], others: [], folders: [], otherFolders: [] };
  if (outcome.kind !== 'file') return { ok: false, reason: 'it cannot be read' };
  const danger = writableByOthers(outcome.facts, identity);
  if (danger !== undefined) return { ok: false, reason: danger };
  const document = parseJson(decodeText(outcome.bytes).text, { bom: false, utf16: false });
  if (!document.ok) return { ok: false, reason: 'it is damaged' };
  const reading = readTrustRecords(document.root);
  return reading === undefined ? { ok: false, reason: 'it is damaged' } : { ok: true, ...reading };
}

/**
 * Why a file does not count as the user's own; undefined when it does. Anyone who can write approvals can
 * approve.
 */
export function writableByOthers(
  { uid, mode }: { readonly uid: number; readonly mode: number },
  identity: Identity | undefined,
): string | undefined {
  if (identity === undefined) return undefined;
  if (uid !== identity.uid && uid !== 0) return `it belongs to another user (uid ${uid})`;
  return (mode & 0o022) === 0 ? undefined : 'others may write it';
}

function unusable(file: string, reason: string): HoltError<'config-unwritable'> {
  return new HoltError(
    'config-unwritable',
    `${file} does not count and is not changed: ${reason}`,
    { file, reason },
    {
      remedy: 'Fix it or move it away; all approvals in it are then asked for again.',
    },
  );
}
