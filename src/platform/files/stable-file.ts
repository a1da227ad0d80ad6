/**
 * Reads a file that another program may be writing. Editors empty a file before they write it in one or more
 * pieces, so a file that is empty or was just modified is read again until it stays the same.
 */

import type { Clock } from '../clock.ts';
import { pause } from '../waits.ts';
import { isSameStamp, type FileOutcome, type FileStamp, type Files } from './files.ts';

export interface StableFileParts {
  readonly files: Files;
  readonly clock: Clock;
  /** Milliseconds since 1970, to compare with the time of a file's last change. */
  readonly now: () => number;
  /** True for a state that is known to be complete, because holt wrote it or has waited for it before. */
  readonly isComplete: (stamp: FileStamp) => boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface StableFile {
  readonly outcome: FileOutcome;
  /** The last content that was not empty, from any of the reads. */
  readonly lastContent: Uint8Array | undefined;
}

/** A file modified less than this many milliseconds ago may still be incomplete. */
const recentMs = 500;
/** Two reads this many milliseconds apart must agree. */
const gapMs = 100;
const patienceMs = 2000;

/**
 * Returns `unsettled` if the file still changes after two seconds. A file that stays empty for that long
 * counts as empty.
 */
export async function readStableFile(
  file: string,
  maxBytes: number,
  parts: StableFileParts,
): Promise<StableFile | 'unsettled'> {
  const { files, clock, signal } = parts;
  let outcome = files.load(file, maxBytes);
  let lastContent = contentOf(outcome);
  if (!mayBeUnfinished(outcome, parts)) return { outcome, lastContent };

  const endsAt = clock.now() + patienceMs;
  for (;;) {
    const before = outcome;
    await pause(gapMs, clock, signal);
    outcome = files.load(file, maxBytes);
    lastContent = contentOf(outcome) ?? lastContent;
    const isSame = isSameState(before, outcome);
    const isOver = clock.now() >= endsAt;
    if (isSame && (isOver || !isEmpty(outcome))) return { outcome, lastContent };
    if (isComplete(outcome, parts)) return { outcome, lastContent };
    if (isOver) return 'unsettled';
  }
}

/** A modification time in the future counts as recent, because a file server's clock may be ahead. */
function mayBeUnfinished(outcome: FileOutcome, parts: StableFileParts): boolean {
  if (outcome.kind !== 'file' || outcome.stamp === undefined) return false;
  const isRecent = parts.now() - outcome.stamp.mtimeMs < recentMs;
  return (isRecent || isEmpty(outcome)) && !isComplete(outcome, parts);
}

function isComplete(outcome: FileOutcome, parts: StableFileParts): boolean {
  return outcome.kind === 'file' && outcome.stamp !== undefined && parts.isComplete(outcome.stamp);
}

/** An editor's first piece may be just a byte order mark or a line break. */
function isEmpty(outcome: FileOutcome): boolean {
  return outcome.kind === 'file' && outcome.bytes.every((byte) => blankBytes.has(byte));
}

/** Whitespace, NUL, and the bytes of byte order marks. */
const blankBytes: ReadonlySet<number> = new Set([0x00, 0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf, 0xfe, 0xff]);

function contentOf(outcome: FileOutcome): Uint8Array | undefined {
  return outcome.kind === 'file' && !isEmpty(outcome) ? outcome.bytes : undefined;
}

function isSameState(left: FileOutcome, right: FileOutcome): boolean {
  if (left.kind !== 'file' || right.kind !== 'file') return left.kind === right.kind;
  const isSameContent = Buffer.compare(left.bytes, right.bytes) === 0;
  if (left.stamp === undefined || right.stamp === undefined) return isSameContent;
  return isSameContent && isSameStamp(left.stamp, right.stamp);
}
