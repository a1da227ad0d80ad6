/**
 * When a program has ended, what it wrote last may still be in its pipes. They end with it, unless something that it
 * started holds them open: then a moment of silence has to do.
 */

import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Clock } from '../../platform/clock.ts';

export interface QuietParts {
  readonly clock: Clock;
  /** What was read is still being worked on. */
  readonly isBusy: () => boolean;
}

const quietMs = 20;
const longestMs = 3000;
const lookEveryMs = 5;

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
    // Meanwhile nothing is read: that is no silence.
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
    // Somebody else may have held up this process: what is there to be read is read before the clock counts.
    await nextTurn();
  }
  for (const stream of streams) stream.off('data', heard).off('end', ended).off('close', ended);
}
