/**
 * Stores the previous content of every file that holt writes, until it is restored or newer records push it
 * out. A record is saved before the write, with hashes of the file before and after, so that the state after
 * a crash at any point can be recognised.
 */

import { randomBytes } from 'node:crypto';

import { sha256 } from '../kernel/hash.ts';
import { HoltError, errorCode } from '../kernel/errors.ts';
import { writeFileAtomically } from '../platform/files/atomic-write.ts';
import type { FileStamp } from '../platform/files/files.ts';
import { makeHoltFolder } from '../platform/files/private-folder.ts';
import type { EditParts } from './edit-parts.ts';
import { undoFolder, type UndoRecord, contentFile, changeRecords, maxBytes } from './undo/undo-records.ts';

/** One command of the user. */
export interface Operation {
  readonly id: string;
  readonly title: string;
}

export function newOperation(title: string): Operation {
  return { id: randomBytes(8).toString('hex'), title };
}

export interface PlannedWrite {
  readonly operation: Operation;
  readonly file: string;
  readonly within?: string;
  /** Undefined when there is no file yet. */
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array;
  /**
   * The stamp of the new content, which already is on the disk. It shows later commands that the file is
   * complete.
   */
  readonly written: FileStamp;
}

/**
 * Saves the previous content of a file. The caller must hold the lock of the file. Returns the id of the
 * record.
 */
export async function keepPrevious(write: PlannedWrite, parts: EditParts): Promise<string> {
  const { machine } = parts;
  const { before } = write;
  const id = randomBytes(16).toString('hex');
  try {
    await makeHoltFolder(machine.holtHome, ['undo'], { os: machine.os });
    await changeRecords(async (records) => {
      // Write under the lock of the index: its holder may delete content that has no record.
      if (before !== undefined) await writeContent(id, before, parts);
      return newestOf([...records, recordOf(id, write, parts)]);
    }, parts);
    return id;
  } catch (error) {
    throw notKept(write.file, error, parts);
  }
}

function recordOf(id: string, write: PlannedWrite, { now }: EditParts): UndoRecord {
  const { operation, file, within, before, after, written } = write;
  return {
    id,
    operation: operation.id,
    title: operation.title,
    file,
    ...(within === undefined ? {} : { within }),
    at: new Date(now()).toISOString(),
    state: 'pending',
    before: before === undefined ? null : sha256(before),
    after: sha256(after),
    bytes: before?.length ?? 0,
    written,
  };
}

/** The error that prevents a write which could not be undone. */
function notKept(file: string, error: unknown, { machine }: EditParts): HoltError {
  if (HoltError.is(error) && !HoltError.is(error, 'config-unwritable')) return error;
  const folder = undoFolder(machine);
  const known = HoltError.is(error, 'config-unwritable') ? error : undefined;
  const reason = known?.details.reason ?? errorCode(error) ?? String(error);
  const why = known === undefined ? ` in ${folder} (${reason})` : `: ${known.message}`;
  const message = `${file} was not changed: its previous content cannot be kept${why}`;
  const remedy = known?.remedy ?? `Check the permissions of ${folder}.`;
  return new HoltError('config-unwritable', message, { file, reason }, { cause: error, remedy });
}

const maxRecords = 100;

/** Drops old records when there are too many or they are too large; the newest always stays. */
function newestOf(records: readonly UndoRecord[]): readonly UndoRecord[] {
  let bytes = 0;
  const kept = records.toReversed().filter((record, index) => {
    bytes += record.bytes;
    return index === 0 || (index < maxRecords && bytes <= maxBytes);
  });
  return kept.toReversed();
}

async function writeContent(id: string, bytes: Uint8Array, parts: EditParts): Promise<void> {
  const options = { os: parts.machine.os, mode: 'private', folders: 'private' } as const;
  await writeFileAtomically(contentFile(id, parts), bytes, options);
}
