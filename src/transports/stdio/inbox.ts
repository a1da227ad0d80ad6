/**
 * What a server sends, line by line, in slices of a few milliseconds: however fast it talks, everybody else gets a turn
 * in between, and while it is ahead of us it is not read from.
 */

import type { Readable } from 'node:stream';

import type { Clock } from '../../platform/clock.ts';
import { createLineFramer, tooLong } from './line-framer.ts';

export interface InboxParts {
  readonly clock: Clock;
  readonly maxLineBytes: number;
  readonly onLine: (line: string) => void;
  /** A line over the limit. Nothing more comes after it. */
  readonly onTooLong: () => void;
}

export interface Inbox {
  /** Lines wait for a later turn. */
  readonly isBusy: boolean;
  /** The stream is over: what came after the last line end is a line as well. */
  finish(): void;
  /** No more lines from here on. What is sent still is thrown away, so that nobody is stuck in a write. */
  close(): void;
}

const sliceMs = 4;
/** The clock is asked once in so many lines. */
const linesPerLook = 16;
const highWaterBytes = 256 << 10;

export function createInbox(stdout: Readable, { clock, maxLineBytes, onLine, onTooLong }: InboxParts): Inbox {
  const framer = createLineFramer(maxLineBytes);
  let isBusy = false;
  let isClosed = false;

  const close = (): void => {
    isClosed = true;
    framer.clear();
    stdout.resume();
  };
  /** False when there is more to do in a later turn. */
  const slice = (): boolean => {
    const startedAt = clock.now();
    for (let count = 1; ; count += 1) {
      const line = framer.next();
      if (line === undefined || isClosed) return true;
      if (line === tooLong) {
        close();
        onTooLong();
        return true;
      }
      onLine(line);
      if (count % linesPerLook === 0 && clock.now() - startedAt >= sliceMs) return false;
    }
  };
  const work = (): void => {
    isBusy = !slice();
    if (isBusy) setImmediate(work);
    else if (stdout.isPaused()) stdout.resume();
  };
  stdout.on('data', (chunk: Buffer) => {
    if (isClosed) return;
    framer.push(chunk);
    if (!isBusy) work();
    else if (framer.waitingBytes > highWaterBytes) stdout.pause();
  });

  return {
    get isBusy() {
      return isBusy;
    },
    finish: () => {
      const rest = isClosed ? undefined : framer.rest();
      if (rest !== undefined) onLine(rest);
      close();
    },
    close,
  };
}
