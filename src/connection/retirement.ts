/**
 * Signals that a connection has ended for good. Unlike an AbortSignal, it allows any number of waiters without
 * a warning.
 */

import type { HoltError } from '../kernel/errors.ts';

export class Retirement {
  readonly #waiting = new Set<(why: HoltError) => void>();
  #why: HoltError | undefined;

  get isOver(): boolean {
    return this.#why !== undefined;
  }

  throwIfOver(): void {
    if (this.#why !== undefined) throw this.#why;
  }

  end(why: HoltError): void {
    this.#why ??= why;
    for (const reject of this.#waiting) reject(this.#why);
    this.#waiting.clear();
  }

  /** Settles like `work`, or rejects with the reason when the connection is retired first. */
  unlessOver<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      if (this.#why !== undefined) reject(this.#why);
      else this.#waiting.add(reject);
      void work.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }
}
