/** Lets a limited number of calls through at a time. The others wait: each caller in turn, and each caller's own in order. */

import { offAbort, onAbort } from '../connection/on-abort.ts';

export interface Turnstile {
  /**
   * Undefined when there is room at once; the promise resolves when it is this call's turn, and rejects when it gives up.
   * The signal is looked for only where somebody has to wait.
   */
  enter(caller: string, patience: Patience): Promise<void> | undefined;
  leave(): void;
}

interface Patience {
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly go: () => void;
}

export function createTurnstile(limit: number): Turnstile {
  let inside = 0;
  /** Callers in the order of their turns; whoever had one goes to the end. */
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
      const giveUp = (): void => {
        const at = queue.indexOf(waiting);
        if (at !== -1) queue.splice(at, 1);
        reject(signal?.reason as Error); // whatever the caller gave as its reason
      };
      const waiting: Waiting = {
        go: () => {
          if (signal !== undefined) offAbort(signal, giveUp);
          resolve();
        },
      };
      queue.push(waiting);
      if (signal !== undefined) onAbort(signal, giveUp);
    });
  return {
    enter: (caller, patience) => {
      if (inside < limit) {
        inside += 1;
        return undefined;
      }
      return wait(caller, patience);
    },
    leave: () => {
      const waiting = next();
      // A place is handed on, not given back: nobody who comes now gets in between.
      if (waiting === undefined) inside -= 1;
      else waiting.go();
    },
  };
}
