/**
 * Determines which change can be undone: the newest whose files are all as holt left them, or as they were
 * before.
 */

import type { UndoRecord } from './undo-records.ts';

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
