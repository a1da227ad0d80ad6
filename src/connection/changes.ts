/**
 * Follows what a server offers. Notices of a change are gathered for a moment, then just that list is read again, and only
 * a list that really differs is news. A stream of notices that breaks is opened anew, and what was missed is looked up.
 */

import type { Clock } from '../platform/clock.ts';
import { listKinds, type ListKind } from './line/line.ts';

export interface Changes {
  notice(kind: ListKind): void;
  close(): void;
}

export interface ChangesParts {
  readonly clock: Clock;
  /** Reads the list again; true when it is another one than before. */
  readonly relist: (kind: ListKind) => Promise<boolean>;
  readonly onChanged: (kind: ListKind) => void;
  readonly onFailed: (kind: ListKind, error: unknown) => void;
  readonly quietMs?: number;
}

export function createChanges({ clock, relist, onChanged, onFailed, quietMs = 50 }: ChangesParts): Changes {
  const gathering = new Map<ListKind, () => void>();
  const reading = new Set<ListKind>();
  let isClosed = false;

  const read = async (kind: ListKind): Promise<void> => {
    gathering.delete(kind);
    // What is being read now may be older than this notice: once more after it.
    if (reading.has(kind)) return notice(kind);
    reading.add(kind);
    try {
      if ((await relist(kind)) && !isClosed) onChanged(kind);
    } catch (error) {
      if (!isClosed) onFailed(kind, error);
    } finally {
      reading.delete(kind);
    }
  };
  const notice = (kind: ListKind): void => {
    if (isClosed || gathering.has(kind)) return;
    gathering.set(
      kind,
      clock.setTimer(quietMs, () => void read(kind)),
    );
  };
  return {
    notice,
    close: () => {
      isClosed = true;
      for (const stop of gathering.values()) stop();
      gathering.clear();
    },
  };
}

/** One stream of notices; `over` settles when it has ended. */
interface NoticeStream {
  readonly over: Promise<unknown>;
}

export interface ListenParts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Rejects when the stream could not be opened. */
  readonly open: (signal: AbortSignal) => Promise<NoticeStream>;
  /** True for a refusal that will be the same next time. */
  readonly isFinal: (error: unknown) => boolean;
  readonly changes: Pick<Changes, 'notice'>;
  readonly firstMs?: number;
  readonly longestMs?: number;
  readonly random?: () => number;
}

/** A stream that lived this long had a good start: the waits begin anew. */
const steadyMs = 5000;

/** Keeps a stream of notices open until the signal says otherwise. Never rejects. */
export async function keepListening(parts: ListenParts): Promise<void> {
  const {
    clock,
    signal,
    open,
    isFinal,
    changes,
    firstMs = 250,
    longestMs = 30_000,
    random = Math.random,
  } = parts;
  let failures = 0;
  for (let round = 0; !signal.aborted; round += 1) {
    const openedAt = clock.now();
    try {
      const stream = await open(signal);
      // We were deaf for a while.
      if (round > 0) noticeAll(changes);
      await stream.over;
      if (clock.now() - openedAt >= steadyMs) failures = 0;
    } catch (error) {
      if (isFinal(error)) return;
    }
    if (signal.aborted) return;
    const waitMs = Math.min(longestMs, firstMs * 2 ** failures) * (0.5 + random() / 2);
    failures += 1;
    await pause(waitMs, clock, signal);
  }
}

function noticeAll(changes: Pick<Changes, 'notice'>): void {
  for (const kind of listKinds) changes.notice(kind);
}

function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      stop();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const stop = clock.setTimer(ms, end, { background: true });
    signal.addEventListener('abort', end, { once: true });
  });
}
