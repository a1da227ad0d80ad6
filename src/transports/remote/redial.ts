/**
 * When a server's change stream ends, when to open it again. A server that closes it politely, over and over, is asked
 * ever more rarely; one that cannot be reached any more is reported as lost, so that the connection is made anew.
 */

import type { Clock } from '../../platform/clock.ts';
import type { NetworkFailure } from '../../network/network-failure.ts';
import { longestWaitMs } from '../../network/retry-after.ts';

export interface RedialParts {
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly onLost: (failure: NetworkFailure) => void;
}

export interface Redial {
  /** For the SDK; with these it counts failures in a row and never by itself what ended well. */
  readonly options: {
    readonly initialReconnectionDelay: number;
    readonly maxReconnectionDelay: number;
    readonly reconnectionDelayGrowFactor: number;
    readonly maxRetries: number;
  };
  schedule(reconnect: () => void, delayMs: number, attempt: number): () => void;
  opened(): void;
  ended(): void;
  failed(failure: NetworkFailure | undefined): void;
  /** Something came in that only such a stream brings. */
  bore(): void;
}

const firstMs = 1000;
const longestMs = 30_000;
const mostFailures = 3;
/** A stream that lived this long was worth it, even in silence. */
const worthMs = 10_000;

export function createRedial({ clock, random, onLost }: RedialParts): Redial {
  let openedAt: number | undefined;
  let everOpened = false;
  let fruitful = false;
  let fruitless = 0;
  let failures = 0;
  return {
    options: {
      initialReconnectionDelay: firstMs,
      maxReconnectionDelay: longestMs,
      reconnectionDelayGrowFactor: 2,
      maxRetries: mostFailures,
    },
    schedule: (reconnect, delayMs, attempt) => {
      const backoffMs = Math.min(firstMs * 2 ** (attempt + Math.min(fruitless, 5)), longestMs);
      // A server may lengthen the wait with `retry:`; if it could shorten it, it could switch the back-off off.
      const waitMs = Math.max(backoffMs, Math.min(delayMs, longestWaitMs));
      return clock.setTimer(waitMs * (1 + random() / 10), reconnect, { background: true });
    },
    opened: () => {
      openedAt = clock.now();
      everOpened = true;
      failures = 0;
      fruitful = false;
    },
    ended: () => {
      const lived = openedAt === undefined ? 0 : clock.now() - openedAt;
      fruitless = fruitful || lived >= worthMs ? 0 : fruitless + 1;
    },
    failed: (failure) => {
      failures += 1;
      if (everOpened && failures >= mostFailures && failure !== undefined) onLost(failure);
    },
    bore: () => {
      fruitful = true;
    },
  };
}
