/** A complete message that is large enough to count as held until its callers have it. */

/** Counts what one server holds. */
interface ReceiptAccount {
  readonly budget: { nextTurn(leave: () => void): void };
  change(bytes: number, kind: 'waiting'): void;
}

/**
 * Smaller messages are not counted: there are at most as many as calls in flight, and they are taken quickly.
 */
export const countedBytes = 16 << 10;

export class CountedReceipt {
  readonly isCounted = true;
  readonly bytes: number;
  readonly nodes: number;
  readonly #account: ReceiptAccount;
  readonly #weight: number;
  #users = 0;

  constructor(
    account: ReceiptAccount,
    { bytes, nodes }: Pick<CountedReceipt, 'bytes' | 'nodes'>,
    weight: number,
  ) {
    this.bytes = bytes;
    this.nodes = nodes;
    this.#account = account;
    this.#weight = weight;
    account.change(weight, 'waiting');
    // Callers that only await the message have it within this turn.
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
