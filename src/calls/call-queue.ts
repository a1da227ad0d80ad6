/** Limits the number of calls in flight. Queued callers take turns, and calls of one caller stay in order. */

import { offAbort, onAbort } from '../platform/waits.ts';

export interface CallQueue {
  /**
   * Returns undefined if the call may start immediately. Otherwise the promise resolves when it is this
   * call's turn, and rejects with the signal's reason on abort. Reads the signal only if it has to wait.
   */
  acquire(caller: string, patience: Patience): Promise<void> | undefined;
  release(): void;
}

interface Patience {
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly go: () => void;
}

export function createCallQueue(limit: number): CallQueue {
  let running = 0;
  /** Callers in the order of their turns. A caller moves to the end after its turn. */
  const queues = new Map<string, Waiting[]>();

  const next = (): Waiting | undefined => {
    for (const [caller, queue] of queues) {
      const first = queue.shift();
      queues.delete(caller);
      if (queue.length > 0) queues.set(caller, queue);
      if (first !== undefined) return first;
    }
    return undefined;
  };
  const wait = (caller: string, { signal }: Patience): Promise<void> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(caller) ?? [];
      queues.set(caller, queue);
      const leave = (): void => {
        const at = queue.indexOf(waiting);
        if (at !== -1) queue.splice(at, 1);
        reject(signal?.reason as Error); // whatever the caller gave as its reason
      };
      const waiting: Waiting = {
        go: () => {
          if (signal !== undefined) offAbort(signal, leave);
          resolve();
        },
      };
      queue.push(waiting);
      if (signal !== undefined) onAbort(signal, leave);
    });
  return {
    acquire: (caller, patience) => {
      if (running < limit) {
        running += 1;
        return undefined;
      }
      return wait(caller, patience);
    },
    release: () => {
      const waiting = next();
      // Pass the slot on directly, so that a call that arrives now cannot take it first.
      if (waiting === undefined) running -= 1;
      else waiting.go();
    },
  };
}
