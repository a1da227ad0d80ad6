/**
 * Stores the previous content of every file that holt writes, until it is restored or newer records push it
 * out. A record is saved before the write, with hashes of the file before and after, so that the state after
 * a crash at any point can be recognised.
 */

import { randomBytes } from 'node:crypto';
import { sha256 } from '../kernel/hash.ts';
import { HoltError } from '../kernel/errors.ts';
import { writeFileAtomically, type AtomicWriteOptions } from '../platform/files/atomic-write.ts';
import { errorCode } from '../platform/error-code.ts';
import type { FileStamp } from '../platform/files/file-stamp.ts';
import type { FileOutcome } from '../platform/files/files.ts';
import { withFileLock } from '../platform/files/lock.ts';
import { makeHoltFolder } from '../platform/files/private-folder.ts';
import { removeFile } from '../platform/files/remove-file.ts';
import { formatOf } from '../agents/places.ts';
import { exposureWarnings } from './entries/mask-entry.ts';
import { lockOptions, withMemory, type EditParts } from './edit-parts.ts';
import { changedMeanwhile, settle } from './read-settled.ts';
import {
  chooseUndo,
  indexFile,
  loadRecords,
  saveRecords,
  undoFolder,
  type Choice,
  type Obstacle,
  type UndoRecord,
} from './undo/undo-records.ts';

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

export async function markDone(id: string, parts: EditParts): Promise<void> {
  const mark = (record: UndoRecord): UndoRecord => (record.id === id ? { ...record, state: 'done' } : record);
  await changeRecords((records) => records.map(mark), parts);
}

/** Removes the record of a write that failed or was undone. */
export async function dropRecord(id: string, parts: EditParts): Promise<void> {
  await changeRecords((records) => records.filter((record) => record.id !== id), parts);
}

interface UndoneFile {
  readonly file: string;
  /** `unchanged`: the file already had its previous content. */
  readonly outcome: 'restored' | 'removed' | 'unchanged';
}

/** A newer change that was skipped. */
export interface SkippedUndo {
  readonly title: string;
  readonly at: string;
  readonly file: string;
  /** Why it was skipped, and where its previous content is. */
  readonly reason: string;
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

function whyLeft({ record: { file, title }, reason }: Obstacle): string {
  if (reason === 'undo-lost') return `The previous content of ${file} is gone, so it cannot be restored`;
  if (reason === 'removed')
    return `${file} was removed since "${title}", so there is nothing to take back in it`;
  return `${file} was changed since "${title}", so it is left as it is`;
}

/** Returns what the user can do by hand. */
function whatIsLeft({ record: { id, before }, reason }: Obstacle, parts: EditParts): string {
  if (reason === 'undo-lost') return 'Edit it by hand if it should be otherwise.';
  return before === null
    ? 'Edit it by hand to take out what was added.'
    : `What it held before is in ${contentFile(id, parts)}.`;
}

function leftAlone(obstacle: Obstacle, parts: EditParts, older = 0): HoltError<'config-unwritable'> {
  const { record, reason } = obstacle;
  const rest =
    older === 0
      ? ''
      : `; ${older === 1 ? 'one older change' : `${older} older changes`} cannot be taken back either`;
  const details = { file: record.file, reason };
  return new HoltError('config-unwritable', `${whyLeft(obstacle)}${rest}`, details, {
    remedy: whatIsLeft(obstacle, parts),
  });
}

function skippedUndo(obstacle: Obstacle, parts: EditParts): SkippedUndo {
  const { title, at, file } = obstacle.record;
  return { title, at, file, reason: `${whyLeft(obstacle)}. ${whatIsLeft(obstacle, parts)}` };
}

const maxRecords = 100;
const maxBytes = 64 << 20;

/** Drops old records when there are too many or they are too large; the newest always stays. */
function newestOf(records: readonly UndoRecord[]): readonly UndoRecord[] {
  let bytes = 0;
  const kept = records.toReversed().filter((record, index) => {
    bytes += record.bytes;
    return index === 0 || (index < maxRecords && bytes <= maxBytes);
  });
  return kept.toReversed();
}

async function changeRecords(
  change: (records: readonly UndoRecord[]) => readonly UndoRecord[] | Promise<readonly UndoRecord[]>,
  parts: EditParts,
): Promise<void> {
  const { machine, files } = parts;
  await withFileLock(
    indexFile(machine),
    async () => {
      const after = await change(loadRecords(machine, files) ?? []);
      await saveRecords(after, machine);
      await sweepContents(after, parts);
    },
    lockOptions(parts),
  );
}

/**
 * Removes content without a record: left behind by a killed process, pushed out, or listed in a damaged
 * index.
 */
async function sweepContents(records: readonly UndoRecord[], parts: EditParts): Promise<void> {
  const known = new Set(records.map(({ id }) => id));
  const ids = parts.files
    .list(undoFolder(parts.machine))
    .filter((name) => /^[0-9a-f]{32}$/.test(name) && !known.has(name));
  for (const id of ids) await removeFile(contentFile(id, parts)).catch(() => undefined);
}

async function writeContent(id: string, bytes: Uint8Array, parts: EditParts): Promise<void> {
  const options = { os: parts.machine.os, mode: 'private', folders: 'private' } as const;
  await writeFileAtomically(contentFile(id, parts), bytes, options);
}

function contentFile(id: string, { machine }: EditParts): string {
  return machine.path.join(undoFolder(machine), id);
}

function contentHash(file: string, { files }: EditParts): string | null {
  return hashOf(files.load(file, maxBytes));
}

function hashOf(outcome: FileOutcome): string | null {
  if (outcome.kind === 'missing') return null;
  return outcome.kind === 'file' ? sha256(outcome.bytes) : '';
}
