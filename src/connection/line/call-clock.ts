/** The two time limits of a call: without progress (idle) and in total. */

import type { WakeWatch } from '../wake-watch.ts';
import { offAbort, onAbort } from '../../platform/waits.ts';
import { StopSwitch } from './stop-switch.ts';

export interface CallLimits {
  readonly idleMs: number;
  readonly totalMs: number;
  /** The caller's abort signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Created for every call, so it allocates little. Stops when a limit passes or the caller aborts. */
export class CallClock extends StopSwitch {
  readonly #limits: CallLimits;
  readonly #wake: WakeWatch;
  readonly #startedAt: number;
  #heardAt: number;
  #stopTimer: () => void;
  #passed: 'idle' | 'total' | undefined;
  readonly #onAbort: (() => void) | undefined;

  constructor(limits: CallLimits, wake: WakeWatch) {
    super();
    this.#limits = limits;
    this.#wake = wake;
    this.#startedAt = wake.now();
    this.#heardAt = this.#startedAt;
    this.#stopTimer = wake.setTimer(Math.min(limits.idleMs, limits.totalMs), () => this.#look());
    const { signal } = limits;
    if (signal === undefined) return;
    this.#onAbort = () => this.stop(signal.reason);
    onAbort(signal, this.#onAbort);
  }

  /** Which limit passed, if one did. */
  get passed(): 'idle' | 'total' | undefined {
    return this.#passed;
  }

  /** Restarts the idle limit. */
  touch(): void {
    this.#heardAt = this.#wake.now();
  }

  end(): void {
    this.#stopTimer();
    const { signal } = this.#limits;
    if (signal !== undefined && this.#onAbort !== undefined) offAbort(signal, this.#onAbort);
  }

  #look(): void {
    // `touch` only updates `#heardAt`, so the timer recomputes the time left when it fires.
    const at = this.#wake.now();
    const idleLeft = this.#heardAt + this.#limits.idleMs - at;
    const totalLeft = this.#startedAt + this.#limits.totalMs - at;
    if (totalLeft <= 0) this.#pass('total');
    else if (idleLeft <= 0) this.#pass('idle');
    else this.#stopTimer = this.#wake.setTimer(Math.min(idleLeft, totalLeft), () => this.#look());
  }

  #pass(limit: 'idle' | 'total'): void {
    this.#passed = limit;
    this.stop(new Error(`the ${limit} limit passed`));
  }
}
