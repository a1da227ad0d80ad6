/**
 * How much of what servers sent a host holds and has not delivered yet: messages that are still arriving, and complete ones
 * until their callers have them. Over the limit, servers that hold much of it are not read from until callers have taken
 * results; servers that hold little go on. Nothing here ends a call: timeouts do.
 *
 * Only complete messages can be taken. If there are none and the limit is still passed, all of it is halves of messages, so
 * one source at a time may go on until its message is complete. The most that is held is the limit and one such message,
 * and for each server the little that it may always have.
 */

/** A stream of bytes that can be stopped. `resume` runs in a turn of its own. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** Where bytes come from: a program's output, a response, a socket. */
export interface ReceiveSource {
  /** True while it must not be read. */
  readonly isPaused: boolean;
  /** Says how it is stopped. From now on it may be. */
  attach(flow: Flow): void;
  /** Bytes arrived, with this many structural characters. */
  add(bytes: number, nodes: number): void;
  /** Of what arrived, this much belongs to messages that are not complete. */
  hold(bytes: number): void;
  /** What arrived since the last time: the messages that were complete by then were made of it. */
  take(): Received;
  /** Nothing more comes. It may be attached again. */
  end(): void;
  /** Another source of the same server. */
  sibling(): ReceiveSource;
}

export interface Received {
  readonly bytes: number;
  readonly nodes: number;
}

/** One complete message. */
export interface Receipt extends Received {
  /** False for a message so small that it is not counted. */
  readonly isCounted: boolean;
  /** Counts it as not delivered for longer than the turn it came in: until the turn after the returned function is called. */
  keep(): () => void;
}

/** All of one server. */
export interface ReceiveAccount {
  openSource(): ReceiveSource;
  /** A message is complete and is passed on now. */
  receive(received: Received): Receipt;
}

export interface ReceiveBudget {
  readonly heldBytes: number;
  openAccount(): ReceiveAccount;
}

/** What a structural character costs once it is parsed, at the least: the smallest array takes 40 bytes and three of them. */
const bytesPerNode = 16;

/** What a message is counted as: its bytes, or what its structure takes in memory where that is more. */
export function weightOf({ bytes, nodes }: Received): number {
  return Math.max(bytes, nodes * bytesPerNode);
}

/** Smaller messages are taken before they add up: there are at most as many as calls in flight. */
const countedBytes = 16 << 10;
/** A server that holds no more than this is never stopped; with a small limit, than this part of it. */
const freeBytes = 1 << 20;
const freePart = 16;

export function createReceiveBudget(limitBytes: () => number): ReceiveBudget {
  return new Budget(limitBytes);
}

class Budget implements ReceiveBudget {
  readonly #limitBytes: () => number;
  /** Those that can be stopped. */
  readonly #sources = new Set<Source>();
  readonly #paused = new Set<Source>();
  #held = 0;
  /** Of complete messages. */
  #waiting = 0;
  #mustWait: ReadonlySet<Source> = new Set();
  /** The one that goes on although the limit is passed. */
  #first: Source | undefined;
  #leaving: (() => void)[] = [];
  #isResuming = false;

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
    this.#paused.delete(source);
  }

  /** Every change of what is held comes by here. */
  change(bytes: number, kind: 'arriving' | 'waiting'): void {
    this.#held += bytes;
    if (kind === 'waiting') this.#waiting += bytes;
    if (this.#paused.size > 0 || this.#held > this.#limitBytes()) this.#decide();
  }

  /** Runs when those who wait for the messages of this turn have run. */
  nextTurn(leave: () => void): void {
    this.#leaving.push(leave);
    if (this.#leaving.length > 1) return;
    setImmediate(() => {
      const leaving = this.#leaving;
      this.#leaving = [];
      for (const each of leaving) each();
    });
  }

  #decide(): void {
    const mustWait = this.#largeSources();
    this.#first = this.#waiting === 0 ? chooseFirst(mustWait, this.#first) : undefined;
    if (this.#first !== undefined) mustWait.delete(this.#first);
    this.#mustWait = mustWait;
    for (const source of mustWait) {
      if (this.#paused.has(source)) continue;
      this.#paused.add(source);
      source.pause();
    }
    if (mustWait.size < this.#paused.size) this.#resumeSoon();
  }

  #largeSources(): Set<Source> {
    const limit = this.#limitBytes();
    if (this.#held <= limit) return new Set();
    const free = Math.min(freeBytes, limit / freePart);
    return new Set([...this.#sources].filter(({ account }) => account.held > free));
  }

  /** In a turn of its own: what made the change may be the parser of another response. */
  #resumeSoon(): void {
    if (this.#isResuming) return;
    this.#isResuming = true;
    setImmediate(() => {
      this.#isResuming = false;
      // `resume` may stop others and so change the set.
      for (const source of Array.from(this.#paused)) {
        // Reading one may be enough to stop the next.
        if (this.#mustWait.has(source) || !this.#paused.delete(source)) continue;
        source.resume();
      }
    });
  }
}

/** The one that goes on already, else one of the server that holds least, so that those who hold most wait longest. */
function chooseFirst(sources: ReadonlySet<Source>, current: Source | undefined): Source | undefined {
  if (current !== undefined && sources.has(current) && current.held > 0) return current;
  const [first] = [...sources]
    .filter(({ held }) => held > 0)
    .toSorted((left, right) => left.account.held - right.account.held || right.held - left.held);
  return first;
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

/** Every call makes one, so it is made of as little as possible. */
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

class CountedReceipt implements Receipt {
  readonly isCounted = true;
  readonly bytes: number;
  readonly nodes: number;
  readonly #account: Account;
  readonly #weight: number;
  #users = 0;

  constructor(account: Account, { bytes, nodes }: Received, weight: number) {
    this.bytes = bytes;
    this.nodes = nodes;
    this.#account = account;
    this.#weight = weight;
    account.change(weight, 'waiting');
    // Those who wait for nothing but the message have it within this turn.
    this.keep()();
  }

  keep(): () => void {
    this.#users += 1;
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#account.budget.nextTurn(() => this.#leave());
    };
  }

  #leave(): void {
    this.#users -= 1;
    if (this.#users === 0) this.#account.change(-this.#weight, 'waiting');
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
