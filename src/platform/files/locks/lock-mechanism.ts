/**
 * What a lock needs from the system: an address that one process can hold and that the kernel releases when
 * the process ends.
 */

export interface LockMechanism {
  /** Takes the address, or resolves to `taken` when it is held. Never waits. */
  tryHold(address: string): Promise<Holding | 'taken'>;
  /**
   * Resolves when another attempt is worthwhile. `round` counts the attempts so far. Rejects when the signal
   * aborts.
   */
  untilWorthTrying(address: string, round: number, signal: AbortSignal): Promise<void>;
}

export interface Holding {
  /** Releases the address. Never rejects, because the caller could not do anything about it. */
  letGo(): Promise<void>;
}
