/**
 * What a server sends, line by line, in slices of a few milliseconds: however fast it talks, everybody else gets a turn
 * in between, and while it is ahead of us it is not read from.
 */

import type { Readable } from 'node:stream';

import type { Excess, MessageLimits } from '../../network/message-meter.ts';
import type { ReceiveSource } from '../../network/receive-budget.ts';
import type { Clock } from '../../platform/clock.ts';
import { createLineFramer, type Line } from './line-framer.ts';

export interface InboxParts {
  readonly clock: Clock;
  readonly limits: MessageLimits;
  readonly source: ReceiveSource;
  readonly onLine: (line: Line) => void;
  /** A line over a limit. Nothing more comes after it. */
  readonly onExcess: (excess: Excess) => void;
}

export interface Inbox {
  /** Lines wait for a later turn, or output that must not be read yet. */
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
  /** False when there is more to do in a later turn. */
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
      // From here on the message counts as one that waits to be taken.
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
