/**
 * Manages the records of one owner: writes them when a program starts, extends them while it runs and removes
 * them at its end.
 */

import type { Lease, LeaseFiles } from './lease-files.ts';
import type { ProcessIdentity, ProcessTree } from '../trees/process-facts.ts';

export interface LeaseEntry {
  readonly id: string;
  readonly server: string;
  readonly command: string;
  readonly pid: number;
  readonly containerTool?: string;
}

export interface LeaseNotes {
  hold(entry: LeaseEntry): Promise<void>;
  remember(id: string, descendants: readonly ProcessIdentity[], state?: 'stopped'): Promise<void>;
  release(id: string): Promise<void>;
}

interface NotesParts {
  readonly files: LeaseFiles;
  readonly tree: ProcessTree;
  readonly owner: number;
  readonly wallNow: () => number;
  readonly onWarning?: ((message: string) => void) | undefined;
}

export function createLeaseNotes({ files, tree, owner, wallNow, onWarning }: NotesParts): LeaseNotes {
  /** The content of each record after its last pending change. Undefined when there is no record. */
  const notes = new Map<string, Promise<Lease | undefined>>();

  const save = async (lease: Lease, before: Lease | undefined): Promise<Lease | undefined> => {
    try {
      await files.write(lease);
      return lease;
    } catch (error) {
      onWarning?.(`The note on the process of "${lease.server}" could not be written: ${String(error)}`);
      return before;
    }
  };
  const writeFirst = async (entry: LeaseEntry): Promise<Lease | undefined> => {
    const [program, self, scope] = await Promise.all([
      tree.describe(entry.pid),
      tree.describe(owner),
      tree.scope(),
    ]);
    // The program may have ended already.
    if (program === undefined) return undefined;
    const lease: Lease = {
      ...entry,
      ...(program.start === undefined ? {} : { start: program.start }),
      ...scope,
      owner: { pid: owner, ...(self?.start === undefined ? {} : { start: self.start }) },
      startedAt: new Date(wallNow()).toISOString(),
    };
    return save(lease, undefined);
  };
  return {
    hold: async (entry) => {
      const written = writeFirst(entry);
      notes.set(entry.id, written);
      await written;
    },
    remember: async (id, descendants, state) => {
      const written = notes.get(id)?.then((before) => {
        if (before === undefined) return undefined;
        return save({ ...before, descendants, ...(state === undefined ? {} : { stopped: true }) }, before);
      });
      if (written === undefined) return;
      notes.set(id, written);
      await written;
    },
    release: async (id) => {
      const last = notes.get(id);
      notes.delete(id);
      await last;
      await files.remove(id).catch(() => undefined);
    },
  };
}
