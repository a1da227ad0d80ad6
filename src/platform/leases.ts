/**
 * Who has started what: a note on disk for each program that runs. The next start ends those whose owner is gone, and
 * `holt ps` shows them. A number alone proves nothing, so nothing is ended whose start and boot are not the noted ones.
 */

import type { OperatingSystem } from '../kernel/machine.ts';
import { createLeaseFiles, type Lease } from './processes/lease-files.ts';
import { stopContainers } from './processes/stop-container.ts';
import { processTree, type ProcessTree } from './process-tree.ts';
import { runCommand as realRunCommand, type RunCommand } from './run-command.ts';

interface LeaseEntry {
  readonly id: string;
  readonly server: string;
  readonly command: string;
  readonly pid: number;
  readonly containerTool?: string;
}

export interface OwnedRow {
  readonly id: string;
  readonly server: string;
  readonly command: string;
  readonly pid: number;
  readonly memoryBytes: number | undefined;
  readonly startedAt: string;
  readonly ageMs: number;
  readonly owner: { readonly pid: number; readonly alive: boolean };
}

export interface EndedRow {
  readonly server: string;
  readonly pid: number;
  /** Also those that had left their group. */
  readonly processes: number;
  readonly containers: readonly string[];
}

export interface Leases {
  /** Never rejects: without a note the program runs all the same, and the guardian still knows it. */
  hold(entry: LeaseEntry): Promise<void>;
  release(id: string): Promise<void>;
  /** Ends what the dead have left, and drops the notes that nothing belongs to. Never rejects. */
  sweepStale(): Promise<readonly EndedRow[]>;
  /** What runs now, by name. */
  listProcesses(): Promise<readonly OwnedRow[]>;
  /** The same as a sweep, for whoever asks for it by name. */
  reap(): Promise<readonly EndedRow[]>;
}

export interface LeaseParts {
  readonly holtHome: string;
  readonly os: OperatingSystem;
  /** The time of day, in milliseconds. */
  readonly wallNow: () => number;
  readonly tree?: ProcessTree;
  readonly runCommand?: RunCommand;
  readonly onWarning?: (message: string) => void;
  /** Whose programs these are; this process when left out. */
  readonly owner?: number;
}

export function createLeases(parts: LeaseParts): Leases {
  const { holtHome, os, wallNow, tree = processTree, onWarning, owner = process.pid } = parts;
  const files = createLeaseFiles(holtHome, os);
  const writing = new Map<string, Promise<void>>();

  const write = async (entry: LeaseEntry): Promise<void> => {
    const [program, self, scope] = await Promise.all([
      tree.describe(entry.pid),
      tree.describe(owner),
      tree.scope(),
    ]);
    // It may be over already.
    if (program === undefined) return;
    await files.write({
      ...entry,
      ...(program.start === undefined ? {} : { start: program.start }),
      ...scope,
      owner: { pid: owner, ...(self?.start === undefined ? {} : { start: self.start }) },
      startedAt: new Date(wallNow()).toISOString(),
    });
  };
  const sweepStale = async (): Promise<readonly EndedRow[]> => {
    const stale = (await judgeAll(await files.list(), tree)).filter(({ ownerAlive }) => !ownerAlive);
    const ended = await Promise.all(
      stale.map((judged) => endLeft(judged, tree, parts.runCommand ?? realRunCommand)),
    );
    await Promise.all(stale.map(({ lease }) => files.remove(lease.id).catch(() => undefined)));
    await files.dropLitter(wallNow() - 60_000).catch(() => undefined);
    return ended.filter(({ processes, containers }) => processes > 0 || containers.length > 0);
  };

  return {
    hold: async (entry) => {
      const done = write(entry).catch((error: unknown) => {
        onWarning?.(`The note on the process of "${entry.server}" could not be written: ${String(error)}`);
      });
      writing.set(entry.id, done);
      await done;
    },
    release: async (id) => {
      await writing.get(id);
      writing.delete(id);
      await files.remove(id).catch(() => undefined);
    },
    sweepStale,
    reap: sweepStale,
    listProcesses: async () => {
      const judged = await judgeAll(await files.list(), tree);
      const rows = await Promise.all(
        judged.filter(({ isRunning }) => isRunning).map((one) => describeRow(one, tree, wallNow)),
      );
      return rows.toSorted(
        (left, right) => left.server.localeCompare(right.server, 'en') || left.pid - right.pid,
      );
    },
  };
}

interface Judged {
  readonly lease: Lease;
  readonly ownerAlive: boolean;
  /** The very process of the note, not one that was given its number later. */
  readonly isRunning: boolean;
  readonly isThisBoot: boolean;
}

async function judgeAll(leases: readonly Lease[], tree: ProcessTree): Promise<readonly Judged[]> {
  if (leases.length === 0) return [];
  const { bootId, space } = await tree.scope();
  const isSame = async (noted: { readonly pid: number; readonly start?: string }): Promise<boolean> => {
    const now = await tree.describe(noted.pid);
    return now !== undefined && now.start === noted.start;
  };
  return Promise.all(
    // What a container (or its host) has noted in the same folder is not for us to judge.
    leases
      .filter((lease) => lease.bootId !== bootId || lease.space === space)
      .map(async (lease) => {
        if (lease.bootId !== bootId) return { lease, ownerAlive: false, isRunning: false, isThisBoot: false };
        const [ownerAlive, isRunning] = await Promise.all([isSame(lease.owner), isSame(lease)]);
        return { lease, ownerAlive, isRunning, isThisBoot: true };
      }),
  );
}

async function endLeft(
  { lease, isRunning, isThisBoot }: Judged,
  tree: ProcessTree,
  runCommand: RunCommand,
): Promise<EndedRow> {
  const { server, pid, id, start, containerTool } = lease;
  let processes = 0;
  // Without a start there is no telling whose number it is now.
  if (isRunning && start !== undefined) {
    await tree.signalGroup(pid, 'SIGKILL');
    processes += 1;
  }
  if (isThisBoot) processes += await tree.endLeavers(id);
  const tool = { program: containerTool ?? '', cwd: '/', env: ownEnvironment() };
  const containers = containerTool === undefined ? [] : await stopContainers(id, tool, runCommand);
  return { server, pid, processes, containers };
}

function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

async function describeRow(
  { lease, ownerAlive }: Judged,
  tree: ProcessTree,
  wallNow: () => number,
): Promise<OwnedRow> {
  const { id, server, command, pid, startedAt, owner } = lease;
  return {
    id,
    server,
    command,
    pid,
    memoryBytes: await tree.memoryBytes(pid),
    startedAt,
    ageMs: Math.max(0, wallNow() - Date.parse(startedAt)),
    owner: { pid: owner.pid, alive: ownerAlive },
  };
}
