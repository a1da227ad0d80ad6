/** The records of running programs: one small file each, written atomically, and the record keeping of one owner. */

import { randomBytes } from 'node:crypto';
import { readFile, readdir, rename, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { OperatingSystem } from '../../../kernel/machine.ts';
import { errorCode } from '../../../kernel/errors.ts';
import { makeHoltFolder } from '../../files/private-folder.ts';
import type { ProcessIdentity, ProcessTree } from '../trees/process-facts.ts';

export interface Lease {
  /** Also the run's cookie. */
  readonly id: string;
  readonly server: string;
  /** The command line with secrets masked. */
  readonly command: string;
  /** The pid of the leader of the program's process group. */
  readonly pid: number;
  readonly start?: string;
  readonly bootId: string;
  /** The pid namespace in which the pids are valid. */
  readonly space: string;
  readonly owner: { readonly pid: number; readonly start?: string };
  /** In ISO 8601 format. */
  readonly startedAt: string;
  /** The program (`docker` or `podman`) that started the container. */
  readonly containerTool?: string;
  /** Known descendants, direct or indirect. */
  readonly descendants?: readonly ProcessIdentity[];
  /** The server was stopped, but its descendants could not be ended. */
  readonly stopped?: true;
}

export interface LeaseFiles {
  write(lease: Lease): Promise<void>;
  remove(id: string): Promise<void>;
  list(): Promise<readonly Lease[]>;
  /** Removes temporary files of writers that were killed, if last modified before this time. */
  removeTempFiles(olderThanMs: number): Promise<void>;
}

const place = ['run', 'leases'];
const idPattern = /^[0-9a-f]{16}$/;

export function createLeaseFiles(holtHome: string, os: OperatingSystem): LeaseFiles {
  const folder = path.join(holtHome, ...place);
  const fileOf = (id: string): string => path.join(folder, `${id}.json`);
  // Programs that start at the same time share one check of the folder.
  let making: Promise<unknown> | undefined;
  const makeFolder = (): Promise<unknown> =>
    (making ??= makeHoltFolder(holtHome, place, { os }).finally(() => (making = undefined)));
  return {
    write: async (lease) => {
      await makeFolder();
      const temp = path.join(folder, `.${lease.id}-${randomBytes(4).toString('hex')}`);
      await writeFile(temp, `${JSON.stringify(lease)}\n`, { mode: 0o600, flag: 'wx' });
      // No fsync: a crash of the machine ends the program as well.
      await rename(temp, fileOf(lease.id));
    },
    remove: (id) => removeQuickly(fileOf(id)),
    list: async () => {
      const names = await readdir(folder).catch(() => []);
      const ids = names
        .filter((name) => name.endsWith('.json'))
        .map((name) => name.slice(0, -'.json'.length));
      const leases = await Promise.all(
        ids.filter((id) => idPattern.test(id)).map((id) => load(fileOf(id), id)),
      );
      return leases.flatMap((lease) => (lease === undefined ? [] : [lease]));
    },
    removeTempFiles: async (olderThanMs) => {
      const names = await readdir(folder).catch(() => []);
      for (const name of names.filter((each) => /^\.[0-9a-f]{16}-[0-9a-f]{8}$/.test(each))) {
        const file = path.join(folder, name);
        const facts = await stat(file).catch(() => undefined);
        if (facts !== undefined && facts.mtimeMs < olderThanMs) await removeQuickly(file);
      }
    },
  };
}

/** A single system call, where Node's `rm` makes three. Every program that ends waits for this. */
async function removeQuickly(file: string): Promise<void> {
  await unlink(file).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}

/** Returns undefined when the file no longer exists or is not a valid record. */
async function load(file: string, id: string): Promise<Lease | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isLease(value) && value.id === id ? value : undefined;
  } catch {
    return undefined;
  }
}

function isLease(value: unknown): value is Lease {
  if (typeof value !== 'object' || value === null) return false;
  const { id, server, command, pid, bootId, space, owner, startedAt, descendants } = value as Partial<
    Record<keyof Lease, unknown>
  >; // each field is checked below
  const texts = [id, server, command, bootId, space, startedAt].every((field) => typeof field === 'string');
  return (
    texts &&
    isProcessNumber(pid) &&
    typeof owner === 'object' &&
    owner !== null &&
    'pid' in owner &&
    isProcessNumber(owner.pid) &&
    (descendants === undefined || (Array.isArray(descendants) && descendants.every(isIdentity)))
  );
}

function isIdentity(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    isProcessNumber(value.pid) &&
    'start' in value &&
    typeof value.start === 'string'
  );
}

/** 1 is the system's first process; a signal to 0 or a negative number would reach many processes. */
function isProcessNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 1;
}

export interface LeaseEntry {
  readonly id: string;
  readonly server: string;
  readonly command: string;
  readonly pid: number;
  readonly containerTool?: string;
}

interface LeaseRecords {
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

export function createLeaseRecords({ files, tree, owner, wallNow, onWarning }: NotesParts): LeaseRecords {
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
