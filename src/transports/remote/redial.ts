/**
 * Decides when to reopen a server's change stream. A server that repeatedly closes it without sending
 * anything is asked ever less often. A server that can no longer be reached is reported as lost, so that the
 * host reconnects.
 */

import type { Clock } from '../../platform/clock.ts';
import type { NetworkFailure } from '../../network/network-failure.ts';
import { longestWaitMs } from '../../network/retry-after.ts';

export interface RedialParts {
  readonly clock: Clock;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  readonly onLost: (failure: NetworkFailure) => void;
}

export interface Redial {
  /** Options for the SDK. With these it counts only consecutive failures, not streams that ended normally. */
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
  /** Call when a message arrived that only this stream delivers. */
  bore(): void;
}

const firstMs = 1000;
const longestMs = 30_000;
const mostFailures = 3;
/** A stream that stayed open this long counts as useful, even if it delivered nothing. */
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
      // The server's `retry:` may lengthen the wait but not shorten it, or a server could disable the
      // back-off.
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
