/**
 * Follows changes of a server's lists. Collects notifications for a moment, reads only the lists they name,
 * and reports only lists that really differ. Reopens a broken notification stream and then reads every list,
 * to find the changes that it missed.
 */

import type { Clock } from '../platform/clock.ts';
import { listKinds, type ListKind } from './channel.ts';

export interface Changes {
  notice(kind: ListKind): void;
  close(): void;
}

export interface ChangesParts {
  readonly clock: Clock;
  /** Reads the list again. Resolves to true if the list has changed. */
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
    // The read in progress may be older than this notification, so schedule another one.
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

/** A stream of notifications; `closed` settles when it has ended. */
interface NoticeStream {
  readonly closed: Promise<unknown>;
}

export interface ListenParts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Rejects if the stream cannot be opened. */
  readonly open: (signal: AbortSignal) => Promise<NoticeStream>;
  /** True for an error that would be the same next time. */
  readonly isFinal: (error: unknown) => boolean;
  readonly changes: Pick<Changes, 'notice'>;
  readonly firstMs?: number;
  readonly longestMs?: number;
  readonly random?: () => number;
}

/** A stream that stays open this long resets the backoff. */
const steadyMs = 5000;

/** Keeps a stream of notifications open until the signal aborts or an error is final. Never rejects. */
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
      // Lists may have changed while no stream was open.
      if (round > 0) noticeAll(changes);
      await stream.closed;
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
