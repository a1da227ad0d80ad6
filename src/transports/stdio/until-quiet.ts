/**
 * Waits for the last output of a program that has exited. Its pipes normally end with it. If a child process
 * holds them open, a short period without data counts as the end.
 */

import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Clock } from '../../platform/clock.ts';

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
