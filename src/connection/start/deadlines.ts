/**
 * Enforces the limits of a start: one for each phase, and possibly one for all of them. The first limit that
 * passes aborts the attempt.
 */

import type { Phase } from '../../kernel/phases.ts';
import { timeoutError, type Limits, type PassedLimit } from '../limits.ts';
import type { WakeWatch } from '../wake-watch.ts';

export interface Deadlines {
  readonly signal: AbortSignal;
  readonly isOver: boolean;
  /** Starts the limit of this phase and stops the one before. */
  enter(phase: Phase): void;
  /** Stops the limit of the phase. The limit for the whole start still applies. */
  leave(): void;
  end(): void;
}

export interface DeadlineParts {
  readonly server: string;
  readonly limits: Limits;
  readonly wake: WakeWatch;
  /** Aborted, with a reason, when the caller stops the start. */
  readonly signal: AbortSignal;
  readonly phase: () => Phase;
}

export function createDeadlines({ server, limits, wake, signal, phase }: DeadlineParts): Deadlines {
  const controller = new AbortController();
  let stopPhase: (() => void) | undefined;
  let isOver = false;
  const pass = (passed: PassedLimit): void => controller.abort(timeoutError(server, passed, limits.advice));
  const stopStart = wake.setTimer(limits.startMs, () =>
    pass({ phase: phase(), limit: 'start', afterMs: limits.startMs }),
  );
  const onAbort = (): void => controller.abort(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    get isOver() {
      return isOver;
    },
    enter: (entered) => {
      stopPhase?.();
      const afterMs = limits.phases[entered];
      stopPhase = wake.setTimer(afterMs, () => pass({ phase: entered, limit: 'phase', afterMs }));
    },
    leave: () => stopPhase?.(),
    end: () => {
      isOver = true;
      stopPhase?.();
      stopStart();
      signal.removeEventListener('abort', onAbort);
    },
  };
}
