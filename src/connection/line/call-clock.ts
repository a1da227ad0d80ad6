/** The two clocks of a call: how long it may be silent, and how long it may take in all. */

import type { WakeWatch } from '../wake-watch.ts';

export interface CallLimits {
  readonly idleMs: number;
  readonly totalMs: number;
  /** The caller's own wish to stop. */
  readonly signal?: AbortSignal | undefined;
}

export interface CallClock {
  /** Fires when a limit passes or the caller has had enough. */
  readonly signal: AbortSignal;
  /** Which limit passed, if one did. */
  readonly passed: 'idle' | 'total' | undefined;
  /** Something was heard: the silence begins anew. */
  touch(): void;
  end(): void;
}

export function startCallClock({ idleMs, totalMs, signal }: CallLimits, wake: WakeWatch): CallClock {
  const { now } = wake;
  const controller = new AbortController();
  let passed: CallClock['passed'];
  let heardAt = now();
  const stop = (reason: unknown): void => controller.abort(reason);
  const pass = (limit: 'idle' | 'total'): void => {
    passed = limit;
    stop(new Error(`the ${limit} limit passed`));
  };
  const onIdle = (): void => {
    // Progress only moves the mark; the timer finds out when it comes around.
    const left = heardAt + idleMs - now();
    if (left <= 0) pass('idle');
    else stopIdle = wake.setTimer(left, onIdle);
  };
  let stopIdle = wake.setTimer(idleMs, onIdle);
  const stopTotal = wake.setTimer(totalMs, () => pass('total'));
  const onAbort = (): void => stop(signal?.reason);
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    get passed() {
      return passed;
    },
    touch: () => {
      heardAt = now();
    },
    end: () => {
      stopIdle();
      stopTotal();
      signal?.removeEventListener('abort', onAbort);
    },
  };
}
