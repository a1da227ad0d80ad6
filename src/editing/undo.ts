/** `undo`: restores the files that the last command wrote, if nothing else has changed them since. */

import { sha256 } from '../kernel/hash.ts';
import { HoltError } from '../kernel/errors.ts';
import { removeFile, writeFileAtomically, type AtomicWriteOptions } from '../platform/files/atomic-write.ts';
import type { FileOutcome, FileStamp } from '../platform/files/files.ts';
import { withFileLock } from '../platform/files/lock.ts';
import { formatOf } from '../agents/places.ts';
import { exposureWarnings } from './entries/mask-entry.ts';
import { lockOptions, withMemory, type EditParts } from './edit-parts.ts';
import { changedMeanwhile, settle } from './read-settled.ts';
import {
  chooseUndo,
  loadRecords,
  undoFolder,
  type Choice,
  type Obstacle,
  type UndoRecord,
  contentFile,
  maxBytes,
  dropRecord,
  changeRecords,
} from './undo/undo-records.ts';
import { type SkippedUndo, leftAlone, skippedUndo } from './undo/obstacles.ts';

interface UndoneFile {
  readonly file: string;
  /** `unchanged`: the file already had its previous content. */
  readonly outcome: 'restored' | 'removed' | 'unchanged';
}

export interface Undone {
  readonly title: string;
  readonly at: string;
  readonly files: readonly UndoneFile[];
  readonly skipped: readonly SkippedUndo[];
  /** Warnings about the files after the undo. */
  readonly warnings: readonly string[];
}

/** A change that was made in another project. */
export interface ForeignChange {
  readonly title: string;
  readonly at: string;
  readonly project: string;
}

/** Called before a change of another project is undone; it rejects to prevent that. */
export type AllowForeign = (change: ForeignChange) => Promise<void>;

/**
 * Undoes the writes of the last command that can be undone. Rejects with `undo-empty`, or with
 * `config-unwritable` when every file was changed since.
 */
export async function undoLast(given: EditParts, allowForeign?: AllowForeign): Promise<Undone> {
  const parts = withMemory(given);
  await settleFiles(parts);
  const files: UndoneFile[] = [];
  let undone: UndoRecord | undefined;
  let skipped: readonly Obstacle[] = [];
  for (;;) {
    const choice = choiceNow(parts, undone);
    const [top] = choice.records;
    if (undone === undefined) ({ skipped } = choice);
    if (top === undefined) break;
    if (undone === undefined) await askForeign(top, parts, allowForeign);
    const started = undone;
    const outcome = await withFileLock(top.file, () => restore(top, started, parts), lockOptions(parts));
    if (outcome === 'superseded' || outcome === 'never-written') continue;
    undone = top;
    files.push({ file: top.file, outcome });
  }
  if (undone === undefined) throw nothingToUndo(skipped, parts);
  const { title, at } = undone;
  const warnings = (await Promise.all(files.map(({ file }) => warningsFor(file, parts)))).flat();
  return { title, at, files, skipped: skipped.map((obstacle) => skippedUndo(obstacle, parts)), warnings };
}

/**
 * Returns what to undo next. Once the first file of a command is restored, only the others of that command
 * follow.
 */
function choiceNow(parts: EditParts, undone: UndoRecord | undefined): Choice {
  const all = loadRecords(parts.machine, parts.files) ?? [];
  if (undone === undefined)
    return chooseUndo(all, {
      file: (file) => contentHash(file, parts),
      kept: ({ id }) => contentHash(contentFile(id, parts), parts),
    });
  const others = all.filter(({ operation }) => operation === undone.operation).toReversed();
  return { records: others, skipped: [] };
}

/**
 * Waits for the files, so that a change is not skipped because an editor has emptied its file for a moment.
 */
async function settleFiles(parts: EditParts): Promise<void> {
  const { records, skipped } = choiceNow(parts, undefined);
  const files = new Set([...records, ...skipped.map(({ record }) => record)].map(({ file }) => file));
  await Promise.all([...files].map((file) => settle(file, parts)));
}

async function askForeign(
  { title, at, within }: UndoRecord,
  { machine }: EditParts,
  allow: AllowForeign | undefined,
): Promise<void> {
  if (within !== undefined && within !== machine.projectRoot) await allow?.({ title, at, project: within });
}

function nothingToUndo([newest, ...older]: readonly Obstacle[], parts: EditParts): HoltError {
  const folder = undoFolder(parts.machine);
  if (newest === undefined) return new HoltError('undo-empty', 'There is nothing to undo', { folder });
  return leftAlone(newest, parts, older.length);
}

/**
 * Warns about secrets that others can read after the undo. Undo does not restore the mode of a file, because
 * the file may have become private since.
 */
async function warningsFor(file: string, { machine, files }: EditParts): Promise<readonly string[]> {
  const now = files.load(file, maxBytes);
  if (now.kind !== 'file') return [];
  const { bytes, facts } = now;
  return exposureWarnings(
    { file, bytes, mode: facts.mode, format: formatOf(file), dialect: 'holt' },
    machine,
  );
}

type Restoring = UndoneFile['outcome'] | 'superseded' | 'never-written';

async function restore(
  record: UndoRecord,
  undone: UndoRecord | undefined,
  parts: EditParts,
): Promise<Restoring> {
  // Before this process got the lock, another one may have written the file or undone the same change.
  if (choiceNow(parts, undone).records[0]?.id !== record.id) return 'superseded';
  const settled = await settle(record.file, parts);
  if (settled === 'unsettled') throw changedMeanwhile(record.file);
  const { outcome: now } = settled;
  if (hashOf(now) === record.before) {
    await dropRecord(record.id, parts);
    return record.state === 'pending' ? 'never-written' : 'unchanged';
  }
  const stamp = now.kind === 'file' ? now.stamp : undefined;
  const expected = { kind: 'sha256', hex: record.after, stamp } as const;
  if (record.before === null) {
    if ((await removeFile(record.file, expected)) === 'changed')
      throw leftAlone({ record, reason: 'changed' }, parts);
    await dropRecord(record.id, parts);
    return 'removed';
  }
  const written = await putBack(record, expected, parts);
  await changeRecords((records) => withoutRestored(records, record, written), parts);
  return 'restored';
}

/**
 * Removes the record that was undone. Its previous content is back, so the record of the write before gets
 * the new stamp.
 */
function withoutRestored(
  records: readonly UndoRecord[],
  { id, file, before }: UndoRecord,
  written: FileStamp,
): readonly UndoRecord[] {
  const left = records.filter((record) => record.id !== id);
  const last = left.findLast((record) => record.file === file && record.after === before);
  return left.map((record) => (record === last ? { ...record, written } : record));
}

async function putBack(
  record: UndoRecord,
  expected: NonNullable<AtomicWriteOptions['expected']>,
  parts: EditParts,
): Promise<FileStamp> {
  const kept = parts.files.load(contentFile(record.id, parts), maxBytes);
  if (kept.kind !== 'file' || sha256(kept.bytes) !== record.before)
    throw leftAlone({ record, reason: 'undo-lost' }, parts);
  const { within } = record;
  const options = { os: parts.machine.os, expected, ...(within === undefined ? {} : { within }) };
  const outcome = await writeFileAtomically(record.file, kept.bytes, options);
  if (outcome.kind === 'changed') throw leftAlone({ record, reason: 'changed' }, parts);
  return outcome.stamp;
}

function contentHash(file: string, { files }: EditParts): string | null {
  return hashOf(files.load(file, maxBytes));
}

function hashOf(outcome: FileOutcome): string | null {
  if (outcome.kind === 'missing') return null;
  return outcome.kind === 'file' ? sha256(outcome.bytes) : '';
}
