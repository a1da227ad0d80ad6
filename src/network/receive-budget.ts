/**
 * Limits how much received data a host holds before delivery: messages that are still arriving, and complete
 * messages until their callers have them. Over the limit, the host stops reading from servers that hold a
 * large share until callers have taken results; servers that hold little continue. This never ends a call:
 * timeouts do.
 */

import { countedBytes, CountedReceipt } from './counted-receipt.ts';
import { pauseOrResume, type Pausing } from './pause-sources.ts';

/** A byte stream that can be paused. `resume` is called in its own event loop turn. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** A source of received bytes: a program's output, a response or a socket. */
export interface ReceiveSource {
  /** True while the source must not be read. */
  readonly isPaused: boolean;
  /** Registers the stream to pause. From now on it may be paused. */
  attach(flow: Flow): void;
  /** Counts received bytes and the structural characters in them. */
  add(bytes: number, nodes: number): void;
  /** Sets how many of the received bytes belong to incomplete messages. */
  hold(bytes: number): void;
  /** Returns what arrived since the last call: the messages completed by then consist of it. */
  take(): Received;
  /** Reports that nothing more arrives. The source may be attached again. */
  end(): void;
  /** Opens another source of the same server. */
  sibling(): ReceiveSource;
}

export interface Received {
  readonly bytes: number;
  readonly nodes: number;
}

/** One complete message. */
export interface Receipt extends Received {
  /** False for a message that is too small to be counted. */
  readonly isCounted: boolean;
  /**
   * Counts the message as undelivered beyond the turn it arrived in,
   * until the turn after the returned function is called.
   */
  keep(): () => void;
}

/** Everything received from one server. */
export interface ReceiveAccount {
  openSource(): ReceiveSource;
  /** Records a message that is complete and is now passed on. */
  receive(received: Received): Receipt;
}

export interface ReceiveBudget {
  readonly heldBytes: number;
  openAccount(): ReceiveAccount;
}

/** Estimated memory per structural character: the smallest array takes 40 bytes and three characters. */
const bytesPerNode = 16;

/** A message counts as its bytes or as the estimated memory of its structure, whichever is larger. */
export function weightOf({ bytes, nodes }: Received): number {
  return Math.max(bytes, nodes * bytesPerNode);
}

export function createReceiveBudget(limitBytes: () => number): ReceiveBudget {
  return new Budget(limitBytes);
}

class Budget implements ReceiveBudget {
  readonly #limitBytes: () => number;
  /** Sources that can be paused. */
  readonly #sources = new Set<Source>();
  #held = 0;
  /** The share of `#held` that belongs to complete messages. */
  #waiting = 0;
  readonly #pausing: Pausing = {
    paused: new Set(),
    mustWait: new Set(),
    first: undefined,
    isResuming: false,
  };
  #leaving: (() => void)[] = [];

  constructor(limitBytes: () => number) {
    this.#limitBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.#held;
  }

  openAccount(): ReceiveAccount {
    return new Account(this);
  }

  attach(source: Source): void {
    this.#sources.add(source);
  }

  detach(source: Source): void {
    this.#sources.delete(source);
    this.#pausing.paused.delete(source);
  }

  /** Every change of the held amount goes through this method. */
  change(bytes: number, kind: 'arriving' | 'waiting'): void {
    this.#held += bytes;
    if (kind === 'waiting') this.#waiting += bytes;
    const limit = this.#limitBytes();
    if (this.#pausing.paused.size > 0 || this.#held > limit)
      pauseOrResume(this.#pausing, {
        sources: this.#sources,
        held: this.#held,
        waiting: this.#waiting,
        limit,
      });
  }

  /** Runs `leave` after the callers that await this turn's messages have run. */
  nextTurn(leave: () => void): void {
    this.#leaving.push(leave);
    if (this.#leaving.length > 1) return;
    setImmediate(() => {
      const leaving = this.#leaving;
      this.#leaving = [];
      for (const each of leaving) each();
    });
  }
}

class Account implements ReceiveAccount {
  readonly budget: Budget;
  #held = 0;

  constructor(budget: Budget) {
    this.budget = budget;
  }

  get held(): number {
    return this.#held;
  }

  openSource(): ReceiveSource {
    return new Source(this);
  }

  receive(received: Received): Receipt {
    const weight = weightOf(received);
    if (weight < countedBytes) return new SmallReceipt(received);
    return new CountedReceipt(this, received, weight);
  }

  change(bytes: number, kind: 'arriving' | 'waiting'): void {
    this.#held += bytes;
    this.budget.change(bytes, kind);
  }
}

/** Every call creates one, so it is as small as possible. */
class SmallReceipt implements Receipt {
  readonly bytes: number;
  readonly nodes: number;

  constructor({ bytes, nodes }: Received) {
    this.bytes = bytes;
    this.nodes = nodes;
  }

  get isCounted(): boolean {
    return false;
  }

  keep(): () => void {
    return () => undefined;
  }
}

class Source implements ReceiveSource {
  readonly account: Account;
  #flow: Flow | undefined;
  #held = 0;
  #bytes = 0;
  #nodes = 0;
  #isPaused = false;

  constructor(account: Account) {
    this.account = account;
  }

  get held(): number {
    return this.#held;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  attach(flow: Flow): void {
    this.#flow = flow;
    this.account.budget.attach(this);
  }

  add(bytes: number, nodes: number): void {
    this.#bytes += bytes;
    this.#nodes += nodes;
  }

  hold(bytes: number): void {
    if (bytes === this.#held) return;
    const more = bytes - this.#held;
    this.#held = bytes;
    this.account.change(more, 'arriving');
  }

  take(): Received {
    const received = { bytes: this.#bytes, nodes: this.#nodes };
    this.#bytes = 0;
    this.#nodes = 0;
    return received;
  }

  end(): void {
    this.account.budget.detach(this);
    this.#flow = undefined;
    this.#isPaused = false;
    this.hold(0);
  }

  sibling(): ReceiveSource {
    return this.account.openSource();
  }

  pause(): void {
    this.#isPaused = true;
    this.#flow?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#flow?.resume();
  }
}
