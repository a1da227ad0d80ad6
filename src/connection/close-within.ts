/** Runs a close function with a time limit. */

import type { WakeWatch } from './wake-watch.ts';
import { orLate } from '../platform/waits.ts';

export interface CloseParts {
  readonly wake: WakeWatch;
  readonly limitMs: number;
  readonly onError: (error: unknown) => void;
}

/** Resolves when `close` settles or the limit passes. Never rejects: errors go to `onError`. */
export async function closeWithin(
  close: () => Promise<void>,
  { wake, limitMs, onError }: CloseParts,
): Promise<void> {
  const closed = Promise.resolve().then(close).catch(onError);
  await orLate(closed, limitMs, wake, undefined);
}
