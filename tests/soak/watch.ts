/** Looks for server processes whose owner has exited while the soak runs, and ends the leftovers. */

import { setTimeout as pause } from 'node:timers/promises';

import { graceMs } from './checks/processes.ts';
import type { Entry, Note } from './history.ts';
import { now } from './programs/notes.mjs';
import { scan, sendSignal, type Found } from './workload-context.ts';

/** From here on they are written down: what takes longer is worth looking at. */
const earlyMs = 1000;

export interface Watch {
  /** What the runner knows of owners: noted as it happens. */
  readonly onNote: (entry: Pick<Entry, 'kind'> & { readonly owner?: string }) => void;
  /** Waits until nothing is left, or until that took too long. */
  settle(): Promise<void>;
}

export function watchProcesses(note: Note): Watch {
  const owners = new Set<string>();
  const ends = new Map<string, number>();
  const look = (): readonly Found[] => {
    const found = scan().filter(({ owner }) => owners.has(owner));
    const at = now();
    for (const { pid, owner, server, cookie } of found)
      if (at - (ends.get(owner) ?? Infinity) > earlyMs) note('seen', { owner, server, pid, cookie });
    return found;
  };
  const timer = setInterval(look, 500);
  return {
    onNote: ({ kind, owner = '' }) => {
      if (kind === 'owner.start') owners.add(owner);
      if (kind === 'owner.end') ends.set(owner, now());
    },
    settle: async () => {
      clearInterval(timer);
      const until = now() + graceMs + 1000;
      while (look().length > 0 && now() < until) await pause(100);
      for (const { pid } of look()) sendSignal(pid, 'SIGKILL');
    },
  };
}
