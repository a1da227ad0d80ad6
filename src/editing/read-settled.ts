/**
 * Reads a file for an edit, and explains to a person why a file is not changed. Waits while an editor has emptied the
 * file but not yet written it.
 */

import { realClock } from '../platform/clock.ts';
import { isSameStamp, type FileOutcome, type FileStamp } from '../platform/files/files.ts';
import { readStableFile, type StableFile } from '../platform/files/stable-file.ts';
import type { EditParts } from './edit-parts.ts';
import { loadRecords } from './undo/undo-records.ts';
import { HoltError } from '../kernel/errors.ts';

const maxBytes = 64 << 20;

export interface ReadFile {
  /** Undefined when there is no such file. */
  readonly bytes: Uint8Array | undefined;
  readonly stamp: FileStamp | undefined;
  readonly mode: number | undefined;
  /** The last content that was not empty, if this command has read any. */
  readonly lastContent: Uint8Array | undefined;
}

/**
 * Waits at most two seconds. Rejects with `config-unwritable` when the file cannot be read or does not stop
 * changing.
 */
export async function readSettled(file: string, parts: EditParts): Promise<ReadFile> {
  const settled = await settle(file, parts);
  if (settled === 'unsettled') throw changedMeanwhile(file);
  const { outcome, lastContent } = settled;
  if (outcome.kind === 'missing') return { bytes: undefined, stamp: undefined, mode: undefined, lastContent };
  if (outcome.kind !== 'file') throw unreadable(file, outcome);
  return { bytes: outcome.bytes, stamp: outcome.stamp, mode: outcome.facts.mode, lastContent };
}

export async function settle(file: string, parts: EditParts): Promise<StableFile | 'unsettled'> {
  const { files, now, signal, clock = realClock, memory } = parts;
  const known = memory?.get(file);
  const isComplete = (stamp: FileStamp): boolean =>
    (known?.stamp !== undefined && isSameStamp(known.stamp, stamp)) || isOwnWrite(stamp, parts);
  const settled = await readStableFile(file, maxBytes, { files, clock, now, isComplete, signal });
  if (settled === 'unsettled') return settled;
  const lastContent = settled.lastContent ?? known?.content;
  memory?.set(file, { stamp: stampOf(settled.outcome), content: lastContent });
  return { ...settled, lastContent };
}

function stampOf(outcome: FileOutcome): FileStamp | undefined {
  return outcome.kind === 'file' ? outcome.stamp : undefined;
}

/**
 * Recognises holt's own writes, also those of other processes, by the stamps in the undo records. Without a
 * record, the caller only waits for the file.
 */
function isOwnWrite(stamp: FileStamp, { machine, files }: EditParts): boolean {
  const records = loadRecords(machine, files) ?? [];
  return records.some(({ written }) => written !== undefined && isSameStamp(written, stamp));
}

export function notChanged(
  file: string,
  reason: string,
  errors: readonly string[] = [reason],
): HoltError<'config-invalid'> {
  return new HoltError('config-invalid', `${file} was not changed: ${reason}`, { file, errors });
}

export function changedMeanwhile(file: string): HoltError<'config-unwritable'> {
  const message = `${file} was changed by another program meanwhile; nothing was written`;
  return new HoltError(
    'config-unwritable',
    message,
    { file, reason: 'changed' },
    { remedy: 'Look at it and try again.' },
  );
}

type Unread = Exclude<FileOutcome, { kind: 'missing' | 'file' }>;

export function unreadable(file: string, outcome: Unread): HoltError<'config-unwritable'> {
  return new HoltError('config-unwritable', `${file} was not changed: ${whyUnread(outcome)}`, {
    file,
    reason: outcome.kind,
  });
}

function whyUnread(outcome: Unread): string {
  if (outcome.kind === 'unreadable') return `it cannot be read: ${outcome.reason}`;
  return outcome.kind === 'too-large' ? 'it is too large' : `${outcome.what} is in its place`;
}
