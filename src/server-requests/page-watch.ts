/**
 * Pages that a server wants visited before it goes on, and its word that a visit is over. Words about pages that nobody
 * waits for are passed over.
 */

export interface PageWatch {
  /** Settles when the server has said of every page that it is done with. */
  readonly done: Promise<void>;
  stop(): void;
}

export interface PageWatches {
  watch(server: string, ids: readonly string[]): PageWatch;
  /** The server says that this one is done with. */
  finish(server: string, id: string): void;
}

interface Waiting {
  readonly server: string;
  readonly left: Set<string>;
  settle: (() => void) | undefined;
}

export function createPageWatches(): PageWatches {
  const open = new Set<Waiting>();
  return {
    watch: (server, ids) => {
      const waiting: Waiting = { server, left: new Set(ids), settle: undefined };
      const done = new Promise<void>((resolve) => {
        waiting.settle = resolve;
      });
      open.add(waiting);
      return { done, stop: () => void open.delete(waiting) };
    },
    finish: (server, id) => {
      for (const { server: whose, left, settle } of open)
        if (whose === server && left.delete(id) && left.size === 0) settle?.();
    },
  };
}
