/**
 * The stack of writes that can be undone: an index of records, oldest first, and the previous content of each
 * file beside it.
 */

import { decodeText } from '../../documents/decode.ts';
import { parseJson } from '../../documents/json.ts';
import { get, type DocNode } from '../../documents/tree.ts';
import type { Machine } from '../../kernel/machine.ts';
import { removeFile, writeFileAtomically } from '../../platform/files/atomic-write.ts';
import type { FileStamp, Files } from '../../platform/files/files.ts';
import { withFileLock } from '../../platform/files/lock.ts';
import { lockOptions, type EditParts } from '../edit-parts.ts';

export interface UndoRecord {
  /** Also the name of the file with the previous content. */
  readonly id: string;
  /** Shared by the writes of one command, which are undone together. */
  readonly operation: string;
  readonly title: string;
  readonly file: string;
  readonly within?: string;
  readonly at: string;
  /**
   * `pending` from before the write until after it. After a crash in between, the hashes show what happened.
   */
  readonly state: 'pending' | 'done';
  /** Null when there was no file. */
  readonly before: string | null;
  readonly after: string;
  readonly bytes: number;
  /**
   * The stamp of the file after this write. While the file has this stamp, no other program is writing it.
   */
  readonly written?: FileStamp;
}

export const maxBytes = 64 << 20;

export function undoFolder({ path, holtHome }: Machine): string {
  return path.join(holtHome, 'undo');
}

export function indexFile(machine: Machine): string {
  return machine.path.join(undoFolder(machine), 'index.json');
}

/** Undefined when the index exists but cannot be read. */
export function loadRecords(machine: Machine, files: Files): readonly UndoRecord[] | undefined {
  const outcome = files.load(indexFile(machine), maxBytes);
  if (outcome.kind === 'missing') return [];
  if (outcome.kind !== 'file') return undefined;
  const document = parseJson(decodeText(outcome.bytes).text, { bom: false, utf16: false });
  const list = document.ok ? get(document.root, 'records') : undefined;
  if (list?.kind !== 'array') return undefined;
  return list.items.flatMap(readRecord);
}

export async function saveRecords(records: readonly UndoRecord[], machine: Machine): Promise<void> {
  const text = `${JSON.stringify({ version: 1, records }, undefined, 2)}\n`;
  await writeFileAtomically(indexFile(machine), Buffer.from(text), {
    os: machine.os,
    mode: 'private',
    folders: 'private',
  });
}

const hex = /^[0-9a-f]{32}$/;

/** Skips items that are not valid records. */
function readRecord(node: DocNode): readonly UndoRecord[] {
  const [id, file, after] = ['id', 'file', 'after'].map((key) => textAt(node, key));
  const before = get(node, 'before');
  if (id === undefined || !hex.test(id) || file === undefined || after === undefined) return [];
  if (before?.kind !== 'string' && before?.kind !== 'null') return [];
  return [{ id, file, after, before: before.kind === 'null' ? null : before.value, ...readRest(node, id) }];
}

function readRest(node: DocNode, id: string): Omit<UndoRecord, 'id' | 'file' | 'after' | 'before'> {
  const within = textAt(node, 'within');
  const written = readStamp(get(node, 'written'));
  return {
    operation: textAt(node, 'operation') ?? id,
    title: textAt(node, 'title') ?? '',
    ...(within === undefined ? {} : { within }),
    at: textAt(node, 'at') ?? '',
    state: textAt(node, 'state') === 'done' ? 'done' : 'pending',
    bytes: numberAt(node, 'bytes') ?? 0,
    ...(written === undefined ? {} : { written }),
  };
}

function readStamp(node: DocNode | undefined): FileStamp | undefined {
  if (node === undefined) return undefined;
  const [dev, ino, size, mtimeMs] = ['dev', 'ino', 'size', 'mtimeMs'].map((key) => numberAt(node, key));
  if (dev === undefined || ino === undefined || size === undefined || mtimeMs === undefined) return undefined;
  return { dev, ino, size, mtimeMs };
}

function numberAt(node: DocNode, key: string): number | undefined {
  const value = get(node, key);
  return value?.kind === 'number' ? value.value : undefined;
}

function textAt(node: DocNode, key: string): string | undefined {
  const value = get(node, key);
  return value?.kind === 'string' ? value.value : undefined;
}

/** Why a change can no longer be undone. */
export interface Obstacle {
  readonly record: UndoRecord;
  readonly reason: 'changed' | 'removed' | 'undo-lost';
}

/** Hashes of a file and of its stored previous content; null where there is no file. */
export interface Hashes {
  file(file: string): string | null;
  kept(record: UndoRecord): string | null;
}

export interface Choice {
  /** The records of the chosen change, newest first; empty when nothing can be undone. */
  readonly records: readonly UndoRecord[];
  /** Newer changes that were skipped. */
  readonly skipped: readonly Obstacle[];
}

/** Chooses the newest change that can be undone. `all` is in order, oldest first. */
export function chooseUndo(all: readonly UndoRecord[], hashes: Hashes): Choice {
  const skipped: Obstacle[] = [];
  for (const records of operationsOf(all)) {
    const obstacle = obstacleIn(records, hashes);
    if (obstacle === undefined) return { records, skipped };
    skipped.push(obstacle);
  }
  return { records: [], skipped };
}

function operationsOf(all: readonly UndoRecord[]): readonly (readonly UndoRecord[])[] {
  const newest = all.toReversed();
  const ids = [...new Set(newest.map(({ operation }) => operation))];
  return ids.map((id) => newest.filter(({ operation }) => operation === id));
}

/**
 * One command may have written a file twice: the second restore starts from the content that the first one
 * leaves.
 */
function obstacleIn(records: readonly UndoRecord[], hashes: Hashes): Obstacle | undefined {
  const later = new Map<string, string | null>();
  for (const record of records) {
    const { file, before, after } = record;
    const now = later.has(file) ? (later.get(file) ?? null) : hashes.file(file);
    if (now !== before && now !== after) return { record, reason: now === null ? 'removed' : 'changed' };
    if (now !== before && before !== null && hashes.kept(record) !== before)
      return { record, reason: 'undo-lost' };
    later.set(file, before);
  }
  return undefined;
}

/** Removes the record of a write that failed or was undone. */
export async function dropRecord(id: string, parts: EditParts): Promise<void> {
  await changeRecords((records) => records.filter((record) => record.id !== id), parts);
}

export async function changeRecords(
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

export function contentFile(id: string, { machine }: EditParts): string {
  return machine.path.join(undoFolder(machine), id);
}

export async function markDone(id: string, parts: EditParts): Promise<void> {
  const mark = (record: UndoRecord): UndoRecord => (record.id === id ? { ...record, state: 'done' } : record);
  await changeRecords((records) => records.map(mark), parts);
}
