/** First come, first served inside one process, so that only one asker at a time troubles the kernel. */

export interface Turns {
  /** Resolves with the function that passes the turn on. Rejects with the signal's reason when it aborts first. */
  take(name: string, waiting: Waiting): Promise<() => void>;
}

export interface Waiting {
  readonly signal: AbortSignal;
  /** Called when the turn, or the lock, is not free at once. */
  readonly onWait: () => void;
}

type Line = (() => void)[];

export function createTurns(): Turns {
  /** A name is a key while somebody has its turn; the value is the line behind them. */
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
        await standIn(line, signal);
      }
      return () => passOn(name);
    },
  };
}

function standIn(line: Line, signal: AbortSignal): Promise<void> {
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
