/** Limits how many programs start at the same time. Servers that a caller waits for start first. */

export interface StartSlots {
  /**
   * Waits for a slot. The returned function releases it; further calls of it do nothing. Rejects with the
   * signal's reason if it is aborted first.
   */
  take(key: string, signal: AbortSignal): Promise<() => void>;
  /** Moves waiters with this key to the front of the queue. If there are none, the next one goes there. */
  hurry(key: string): void;
}

interface Waiting {
  readonly key: string;
  readonly go: () => void;
}

export function createStartSlots(limit: number): StartSlots {
  let free = limit;
  let line: readonly Waiting[] = [];
  const urgent = new Set<string>();
  const giveBack = (): void => {
    const [first, ...rest] = line;
    if (first === undefined) {
      free += 1;
      return;
    }
    line = rest;
    first.go();
  };
  const place = (): (() => void) => {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      giveBack();
    };
  };
  return {
    take: async (key, signal) => {
      signal.throwIfAborted();
      const isUrgent = urgent.delete(key);
      if (free > 0) {
        free -= 1;
        return place();
      }
      await new Promise<void>((resolve, reject) => {
        const stop = (): void => {
          line = line.filter((other) => other !== waiting);
          reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
        };
        const waiting: Waiting = {
          key,
          go: () => {
            signal.removeEventListener('abort', stop);
            resolve();
          },
        };
        signal.addEventListener('abort', stop, { once: true });
        line = isUrgent ? [waiting, ...line] : [...line, waiting];
      });
      return place();
    },
    hurry: (key) => {
      if (!line.some((waiting) => waiting.key === key)) urgent.add(key);
      line = [
        ...line.filter((waiting) => waiting.key === key),
        ...line.filter((waiting) => waiting.key !== key),
      ];
    },
  };
}
