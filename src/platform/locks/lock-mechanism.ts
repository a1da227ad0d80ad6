/** What a system must offer to build a lock on: something one process can hold and the kernel takes back with it. */

export interface LockMechanism {
  /** Takes the address, or says that somebody has it. Never waits. */
  tryHold(address: string): Promise<Holding | 'taken'>;
  /** Returns when another try is worth it. `round` counts the tries so far; rejects when the signal aborts. */
  untilWorthTrying(address: string, round: number, signal: AbortSignal): Promise<void>;
}

export interface Holding {
  /** Never rejects: by then there is nothing left that anybody could do. */
  letGo(): Promise<void>;
}
