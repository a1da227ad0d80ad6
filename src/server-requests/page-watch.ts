/**
 * Tracks pages that a server asks the user to visit, and the server's notifications that a visit is complete.
 * Ignores notifications about other pages.
 */

export interface PageWatch {
  /** Resolves when the server has reported every page as complete. */
  readonly done: Promise<void>;
  stop(): void;
}

export interface PageWatches {
  watch(server: string, ids: readonly string[]): PageWatch;
  /** Call when the server reports this page as complete. */
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
