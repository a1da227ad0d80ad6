/** The end of a connection for good. Many may wait for it at once, which an AbortSignal would complain about. */

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
    for (const tell of this.#waiting) tell(this.#why);
    this.#waiting.clear();
  }

  /** The outcome of the work, or why there will be none. */
  unlessOver<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      if (this.#why !== undefined) reject(this.#why);
      else this.#waiting.add(reject);
      void work.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }
}
