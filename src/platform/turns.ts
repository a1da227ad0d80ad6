/**
 * Grants turns within one process, first come, first served, so that only one caller at a time asks the
 * kernel.
 */

export interface Turns {
  /**
   * Resolves with the function that passes on the turn. Rejects with the signal's reason when it aborts
   * first.
   */
  take(name: string, waiting: Waiting): Promise<() => void>;
}

export interface Waiting {
  readonly signal: AbortSignal;
  /** Called when the turn, or the lock, is not free immediately. */
  readonly onWait: () => void;
}

type Line = (() => void)[];

export function createTurns(): Turns {
  /** The callers waiting for each name. A name has an entry while some caller has its turn. */
  const lines = new Map<string, Line>();

  const passOn = (name: string): void => {
    const next = lines.get(name)?.shift();
    if (next === undefined) lines.delete(name);
    else next();
  };

  return {
    async take(name, { signal, onWait }) {
      signal.throwIfAborted();
      const line = lines.get(name);
      if (line === undefined) {
        lines.set(name, []);
      } else {
        onWait();
        await waitForTurn(line, signal);
      }
      return () => passOn(name);
    },
  };
}

function waitForTurn(line: Line, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const step = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = (): void => {
      line.splice(line.indexOf(step), 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    line.push(step);
  });
}
