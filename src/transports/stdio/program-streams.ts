/**
 * The streams of a server's program. The inbox reads stdout line by line, in slices of a few milliseconds, so
 * that one fast server does not block the event loop. The write queue sends messages to stdin.
 */

import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { HoltError } from '../../kernel/errors.ts';
import { nameWord } from '../../kernel/shell-words.ts';
import type { MessageExcess, MessageLimits } from '../../network/message-meter.ts';
import type { ReceiveSource } from '../../network/receive-budget.ts';
import type { Clock } from '../../platform/clock.ts';
import { createLineFramer, type Line } from './line-framer.ts';

export interface InboxParts {
  readonly clock: Clock;
  readonly limits: MessageLimits;
  readonly source: ReceiveSource;
  readonly onLine: (line: Line) => void;
  /** Called when a line exceeds a limit. No more lines follow. */
  readonly onExcess: (excess: MessageExcess) => void;
}

export interface Inbox {
  /** True while lines wait for a later slice, or the source is paused. */
  readonly isBusy: boolean;
  /** Call when the stream has ended: reports the rest after the last line end as a line. */
  finish(): void;
  /**
   * Stops reporting lines. Later output is read and discarded, so that the program does not block on a write.
   */
  close(): void;
}

const sliceMs = 4;
/** The clock is read once per this many lines. */
const linesPerLook = 16;
const highWaterBytes = 256 << 10;

/** Pauses the stream when too much is waiting to be processed. */
export function createInbox(
  stdout: Readable,
  { clock, limits, source, onLine, onExcess }: InboxParts,
): Inbox {
  const framer = createLineFramer(limits);
  let isBusy = false;
  let isClosed = false;

  const close = (): void => {
    isClosed = true;
    framer.clear();
    source.end();
    stdout.resume();
  };
  /** Returns false when more lines wait for a later slice. */
  const slice = (): boolean => {
    const startedAt = clock.now();
    for (let count = 1; ; count += 1) {
      const line = framer.next();
      if (line === undefined || isClosed) return true;
      if (typeof line === 'string') {
        close();
        onExcess(line);
        return true;
      }
      // The framer no longer holds this line; from here on it counts as a received message.
      source.hold(framer.heldBytes);
      onLine(line);
      if (count % linesPerLook === 0 && clock.now() - startedAt >= sliceMs) return false;
    }
  };
  const work = (): void => {
    isBusy = !slice();
    if (!isClosed) source.hold(framer.heldBytes);
    if (isBusy) setImmediate(work);
    else readOn();
  };
  const readOn = (): void => {
    if (!isBusy && !source.isPaused && stdout.isPaused()) stdout.resume();
  };
  source.attach({ pause: () => void stdout.pause(), resume: readOn });
  stdout.on('data', (chunk: Buffer) => {
    if (isClosed) return;
    framer.push(chunk);
    if (!isBusy) work();
    else if (framer.waitingBytes > highWaterBytes) stdout.pause();
  });

  return {
    get isBusy() {
      return isBusy || source.isPaused;
    },
    finish: () => {
      const rest = isClosed ? undefined : framer.rest();
      if (rest !== undefined) onLine(rest);
      close();
    },
    close,
  };
}

export interface QuietParts {
  readonly clock: Clock;
  /** True while data that was read is still being processed. */
  readonly isBusy: () => boolean;
}

const quietMs = 20;
const longestMs = 3000;
const lookEveryMs = 5;

/** Resolves when all streams have ended, after 20 ms without data, or after 3 s at most. */
export async function untilQuiet(streams: readonly Readable[], { clock, isBusy }: QuietParts): Promise<void> {
  const since = clock.now();
  let lastAt = since;
  let wake: (() => void) | undefined;
  const heard = (): void => {
    lastAt = clock.now();
  };
  const ended = (): void => wake?.();
  for (const stream of streams) stream.on('data', heard).once('end', ended).once('close', ended);

  const isOver = (): boolean => {
    const now = clock.now();
    // Nothing is read while the inbox is busy, so that time does not count as silence.
    if (isBusy()) {
      lastAt = now;
      return false;
    }
    const isAllRead = streams.every((stream) => stream.readableEnded || stream.destroyed);
    return isAllRead || now - lastAt >= quietMs || now - since >= longestMs;
  };
  while (!isOver()) {
    await new Promise<void>((resolve) => {
      const stop = clock.setTimer(lookEveryMs, resolve);
      wake = () => {
        stop();
        resolve();
      };
    });
    // This process may have been blocked. Read pending data before checking the clock again.
    await nextTurn();
  }
  for (const stream of streams) stream.off('data', heard).off('end', ended).off('close', ended);
}

export interface WriteQueue {
  /**
   * Resolves when the operating system has accepted the line. Rejects with `queue-full` when the limit is
   * exceeded.
   */
  send(line: string): Promise<void>;
  /** Rejects all pending and all later sends. */
  fail(error: Error): void;
  /** True while at most one batch has been sent. */
  readonly isFresh: boolean;
}

export interface WriteQueueParts {
  readonly server: string;
  readonly maxBytes: number;
  /** Called when stdin no longer accepts data. The listener must call `fail` soon after. */
  readonly onBroken: (error: Error) => void;
}

/**
 * Queues messages up to a byte limit. When the server ends, all pending messages fail. A write error alone does
 * not reject them: they wait for `fail`, whose error says why the server ended.
 */
export function createWriteQueue(
  stdin: Writable,
  { server, maxBytes, onBroken }: WriteQueueParts,
): WriteQueue {
  const waiting = new Set<(error: Error) => void>();
  let waitingBytes = 0;
  let failure: Error | undefined;

  const full = (): HoltError<'queue-full'> => {
    const message = `Server "${server}" does not read what it is sent: ${waitingBytes >> 10} KiB wait already`;
    return new HoltError(
      'queue-full',
      message,
      { server, maxBytes },
      { remedy: `Look at what it does: holt logs ${nameWord(server)}` },
    );
  };
  let isGathering = false;
  let breaths = 0;
  /**
   * Corks stdin until the end of the microtask, so that lines sent in the same tick reach the system in one
   * write.
   */
  const gather = (): void => {
    if (isGathering) return;
    isGathering = true;
    breaths += 1;
    stdin.cork();
    queueMicrotask(() => {
      isGathering = false;
      stdin.uncork();
    });
  };
  return {
    send: (line) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) return reject(failure);
        const bytes = Buffer.byteLength(line);
        // A line larger than the whole queue is accepted when nothing else is pending.
        if (waitingBytes > 0 && waitingBytes + bytes > maxBytes) return reject(full());
        waitingBytes += bytes;
        waiting.add(reject);
        stdin.write(line, (error) => {
          waitingBytes -= bytes;
          // A destroyed stream reports success for its pending writes.
          const broken = error ?? (stdin.destroyed ? new Error('the stream was destroyed') : undefined);
          if (broken !== undefined) return onBroken(broken);
          if (waiting.delete(reject)) resolve();
        });
        gather();
      }),
    fail: (error) => {
      failure ??= error;
      for (const reject of waiting) reject(failure);
      waiting.clear();
    },
    get isFresh() {
      return breaths <= 1;
    },
  };
}
