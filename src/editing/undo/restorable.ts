/** Which change can still be taken back: the newest whose files are all as holt left them, or as they were before. */

import type { UndoRecord } from './undo-records.ts';

/** Why a change cannot be taken back any more. */
export interface Obstacle {
  readonly record: UndoRecord;
  readonly reason: 'changed' | 'removed' | 'undo-lost';
}

/** The state of a file and of what was kept of it: hashes, null where there is no file. */
export interface Hashes {
  file(file: string): string | null;
  kept(record: UndoRecord): string | null;
}

export interface Choice {
  /** Its records, newest first; none when nothing can be taken back. */
  readonly records: readonly UndoRecord[];
  /** Newer changes that were passed over. */
  readonly skipped: readonly Obstacle[];
}

/** `all` oldest first. */
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

/** One command may have written a file twice: what the first restoring leaves is what the second finds. */
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
