/**
 * The time that a caller gives to a whole call: from the search for the tool, through a start of its server and the wait for
 * its turn, to the answer. What is spent on asking a person is not counted.
 */

import { HoltError } from '../kernel/errors.ts';
import { inSeconds } from './limits.ts';
import { StopSwitch } from './line/stop-switch.ts';
import { offAbort, onAbort } from './on-abort.ts';
import type { WakeWatch } from './wake-watch.ts';

/** What a call waits for, and how that is told when it waited too long. */
const waits = {
  start: ' while the server was still starting',
  turn: ' while it waited for its turn',
  answer: '',
} as const;

export interface DeadlineParts {
  readonly ms: number;
  readonly tool: string;
  /** Whose the tool is, as far as that is known; asked for only when it has to be told. */
  readonly server: () => string;
  /** The caller's own wish to stop. */
  readonly signal?: AbortSignal | undefined;
}

/** One timer at a time, whatever the call goes through. Stops when the time is over or the caller has had enough. */
export class CallDeadline extends StopSwitch {
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
    this.#stopTimer = wake.setTimer(parts.ms, () => this.#look());
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

  /** Set once the time is over. */
  get failure(): HoltError<'call-timeout'> | undefined {
    return this.#failure;
  }

  throwIfPassed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** For the words, should this be where the time ends. */
  waitsFor(what: 'start' | 'turn', server: string): void {
    this.#waitsFor = what;
    this.#server = server;
  }

  /** It is sent now. A question that nobody answers does not keep it for longer than the server's calls may take. */
  waitsForAnswer(server: string, totalMs: number): void {
    this.#waitsFor = 'answer';
    this.#server = server;
    this.#answer = { startedAt: this.#wake.now(), ms: Math.max(totalMs, this.#parts.ms) };
  }

  /** A person is asked, and nothing counts until the answer is called. */
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
      this.#look();
    };
  }

  /** The outcome of the work, or the failure when it comes too late. One piece of work at a time. */
  unlessPassed<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      if (this.#failure !== undefined) reject(this.#failure);
      work.then(resolve, reject);
    });
  }

  /** Its time does not depend on what is heard. */
  touch(): void {}

  end(): void {
    this.#isOver = true;
    this.#stopTimer();
    const { signal } = this.#parts;
    if (signal !== undefined && this.#onAbort !== undefined) offAbort(signal, this.#onAbort);
  }

  #look(): void {
    // Whoever is asked may answer when all is over.
    if (this.#isOver) return;
    const ownLeft = this.#holds > 0 ? Number.POSITIVE_INFINITY : this.leftMs;
    const answerLeft = this.#answer.startedAt + this.#answer.ms - this.#wake.now();
    if (ownLeft <= 0) this.#pass(this.#parts.ms);
    else if (answerLeft <= 0) this.#pass(this.#answer.ms);
    else this.#stopTimer = this.#wake.setTimer(Math.min(ownLeft, answerLeft), () => this.#look());
  }

  #pass(afterMs: number): void {
    const server = this.#server ?? this.#parts.server();
    const what = server === '' ? `of ${this.#parts.tool}` : `to "${server}"`;
    const message = `The call ${what} took longer than ${inSeconds(afterMs)} and was called off${waits[this.#waitsFor]}`;
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
