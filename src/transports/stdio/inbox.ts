/**
 * Reads a server's stdout line by line, in slices of a few milliseconds, so that one fast server does not
 * block the event loop. Pauses the stream when too much is waiting to be processed.
 */

import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Excess, MessageLimits } from '../../network/message-meter.ts';
import type { ReceiveSource } from '../../network/receive-budget.ts';
import type { Clock } from '../../platform/clock.ts';
import { createLineFramer, type Line } from './line-framer.ts';

export interface InboxParts {
  readonly clock: Clock;
  readonly limits: MessageLimits;
  readonly source: ReceiveSource;
  readonly onLine: (line: Line) => void;
  /** Called when a line exceeds a limit. No more lines follow. */
  readonly onExcess: (excess: Excess) => void;
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
