/**
 * The time limits of one call. `CallClock` applies the server's limits: without progress, and in total.
 * `CallDeadline` applies a caller's limit for the whole call: finding the tool, starting its server, waiting in
 * the queue, and waiting for the response. Time spent asking a person does not count.
 */

import { offAbort, onAbort } from '../platform/waits.ts';
import { HoltError } from '../kernel/errors.ts';
import { inSeconds } from './limits.ts';
import type { WakeWatch } from './wake-watch.ts';

/**
 * Cancels an operation once, with one reason: through an AbortSignal where one is needed, and through a
 * cheaper listener otherwise.
 */
class Canceller {
  #controller: AbortController | undefined;
  #listener: ((reason: unknown) => void) | undefined;
  #stopped: { readonly reason: unknown } | undefined;

  /** Created on first access. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#stopped !== undefined) this.#controller.abort(this.#stopped.reason);
    return this.#controller.signal;
  }

  /** A cheaper alternative to `signal`, for one listener. */
  onStop(listener: (reason: unknown) => void): void {
    this.#listener = listener;
    if (this.#stopped !== undefined) listener(this.#stopped.reason);
  }

  protected stop(reason: unknown): void {
    this.#stopped ??= { reason };
    this.#controller?.abort(reason);
    this.#listener?.(reason);
  }
}

export interface CallLimits {
  readonly idleMs: number;
  readonly totalMs: number;
  /** The caller's abort signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Created for every call, so it allocates little. Stops when a limit passes or the caller aborts. */
export class CallClock extends Canceller {
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
    this.#stopTimer = wake.setTimer(Math.min(limits.idleMs, limits.totalMs), () => this.#check());
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

  #check(): void {
    // `touch` only updates `#heardAt`, so the timer recomputes the time left when it fires.
    const at = this.#wake.now();
    const idleLeft = this.#heardAt + this.#limits.idleMs - at;
    const totalLeft = this.#startedAt + this.#limits.totalMs - at;
    if (totalLeft <= 0) this.#pass('total');
    else if (idleLeft <= 0) this.#pass('idle');
    else this.#stopTimer = this.#wake.setTimer(Math.min(idleLeft, totalLeft), () => this.#check());
  }

  #pass(limit: 'idle' | 'total'): void {
    this.#passed = limit;
    this.stop(new Error(`the ${limit} limit passed`));
  }
}

/** What a call may be waiting for, and how the timeout message describes it. */
const waits = {
  start: ' while the server was still starting',
  turn: ' while it waited for its turn',
  answer: '',
} as const;

export interface DeadlineParts {
  readonly ms: number;
  readonly tool: string;
  /** Returns the server's name, or an empty string if it is unknown. Called only for an error message. */
  readonly server: () => string;
  /** The caller's abort signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Stops when the time is over or the caller aborts. Uses a single timer through all stages of the call. */
export class CallDeadline extends Canceller {
  readonly #parts: DeadlineParts;
  readonly #wake: WakeWatch;
  readonly #startedAt: number;
  readonly #onAbort: (() => void) | undefined;
  #stopTimer: () => void;
  #waitsFor: keyof typeof waits = 'start';
  #server: string | undefined;
  #answer = { startedAt: 0, ms: Number.POSITIVE_INFINITY };
  #holds = 0;
  #heldAt = 0;
  #heldMs = 0;
  #isOver = false;
  #giveUp: ((failure: HoltError) => void) | undefined;
  #failure: HoltError<'call-timeout'> | undefined;

  constructor(parts: DeadlineParts, wake: WakeWatch) {
    super();
    this.#parts = parts;
    this.#wake = wake;
    this.#startedAt = wake.now();
    this.#stopTimer = wake.setTimer(parts.ms, () => this.#check());
    const { signal } = parts;
    if (signal === undefined) return;
    this.#onAbort = () => this.stop(signal.reason);
    onAbort(signal, this.#onAbort);
  }

  get leftMs(): number {
    const at = this.#wake.now();
    const heldMs = this.#heldMs + (this.#holds > 0 ? at - this.#heldAt : 0);
    return this.#startedAt + this.#parts.ms + heldMs - at;
  }

  /** Set once the deadline has passed. */
  get failure(): HoltError<'call-timeout'> | undefined {
    return this.#failure;
  }

  throwIfPassed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Records what the call waits for, for the timeout message. */
  waitsFor(what: 'start' | 'turn', server: string): void {
    this.#waitsFor = what;
    this.#server = server;
  }

  /**
   * Records that the call is sent. From now on the larger of `totalMs` and the caller's limit bounds the wait
   * even during a hold, so that a question without an answer cannot keep the call open.
   */
  waitsForAnswer(server: string, totalMs: number): void {
    this.#waitsFor = 'answer';
    this.#server = server;
    this.#answer = { startedAt: this.#wake.now(), ms: Math.max(totalMs, this.#parts.ms) };
  }

  /** Pauses the deadline while a person is asked. Call the returned function to resume. */
  hold(): () => void {
    if (this.#holds === 0) this.#heldAt = this.#wake.now();
    this.#holds += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      if (this.#holds > 0) return;
      this.#heldMs += this.#wake.now() - this.#heldAt;
      this.#stopTimer();
      this.#check();
    };
  }

  /** Settles like `work`, or rejects with `failure` once the deadline passes. Supports one call at a time. */
  unlessPassed<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      if (this.#failure !== undefined) reject(this.#failure);
      work.then(resolve, reject);
    });
  }

  /** Does nothing: progress does not extend this deadline. */
  touch(): void {}

  end(): void {
    this.#isOver = true;
    this.#stopTimer();
    const { signal } = this.#parts;
    if (signal !== undefined && this.#onAbort !== undefined) offAbort(signal, this.#onAbort);
  }

  #check(): void {
    // A hold may be released after the call has ended.
    if (this.#isOver) return;
    const ownLeft = this.#holds > 0 ? Number.POSITIVE_INFINITY : this.leftMs;
    const answerLeft = this.#answer.startedAt + this.#answer.ms - this.#wake.now();
    if (ownLeft <= 0) this.#pass(this.#parts.ms);
    else if (answerLeft <= 0) this.#pass(this.#answer.ms);
    else this.#stopTimer = this.#wake.setTimer(Math.min(ownLeft, answerLeft), () => this.#check());
  }

  #pass(afterMs: number): void {
    const server = this.#server ?? this.#parts.server();
    const what = server === '' ? `of ${this.#parts.tool}` : `to "${server}"`;
    const message = `The call ${what} took longer than ${inSeconds(afterMs)} and was cancelled${waits[this.#waitsFor]}`;
    this.#failure = new HoltError(
      'call-timeout',
      message,
      { server, limit: 'total', afterMs },
      { remedy: 'Give the call more time if it needs longer.' },
    );
    this.end();
    this.stop(this.#failure);
    this.#giveUp?.(this.#failure);
  }
}
