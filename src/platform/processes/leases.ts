/**
 * Keeps a record on disk for each running program. The next start of holt ends programs whose owner is gone,
 * and `holt ps` lists them. Because pids are reused, a process is only ended when its start time and boot id
 * match the record.
 */

import type { OperatingSystem } from '../../kernel/machine.ts';
import { realClock, type Clock } from '../clock.ts';
import { endSurvivors } from './servers/stop-program.ts';
import {
  createLeaseFiles,
  createLeaseRecords,
  type Lease,
  type LeaseEntry,
  type LeaseFiles,
} from './leases/lease-records.ts';
import { listRows, type Judged, type OwnedRow } from './leases/owned-rows.ts';
import { identitiesOf, type ProcessIdentity } from './trees/process-facts.ts';
import { stopContainers } from './servers/containers.ts';
import { processTree, type ProcessTree } from './process-tree.ts';
import { runCommand as realRunCommand, type RunCommand } from './run-command.ts';

export type { OwnedRow, SurvivorRow } from './leases/owned-rows.ts';

export interface EndedRow {
  readonly server: string;
  readonly pid: number;
  /** Includes processes that had left the process group. */
  readonly processes: number;
  readonly containers: readonly string[];
  /** Pids of processes that could not be ended. */
  readonly left: readonly number[];
}

export interface Leases {
  /**
   * Records a program. Never rejects: without a record the program still runs, and the guardian still knows
   * it.
   */
  hold(entry: LeaseEntry): Promise<void>;
  /**
   * Records descendants of the server; `stopped` means that they outlived the server's stop. Never rejects.
   */
  remember(id: string, descendants: readonly ProcessIdentity[], state?: 'stopped'): Promise<void>;
  release(id: string): Promise<void>;
  /**
   * Ends the processes of dead owners and the survivors of stopped servers, and removes records that no
   * longer apply. Never rejects.
   */
  sweepStale(): Promise<readonly EndedRow[]>;
  /** Lists the running processes by server name. */
  listProcesses(): Promise<readonly OwnedRow[]>;
  /** Does the same as `sweepStale`, for explicit requests by the user. */
  reap(): Promise<readonly EndedRow[]>;
}

export interface LeaseParts {
  readonly holtHome: string;
  readonly os: OperatingSystem;
  /** Returns the time of day in milliseconds. */
  readonly wallNow: () => number;
  readonly tree?: ProcessTree;
  readonly clock?: Clock;
  readonly runCommand?: RunCommand;
  readonly onWarning?: (message: string) => void;
  /** The pid of the programs' owner; defaults to this process. */
  readonly owner?: number;
}

export function createLeases(parts: LeaseParts): Leases {
  const { holtHome, os, wallNow, tree = processTree, onWarning, owner = process.pid } = parts;
  const files = createLeaseFiles(holtHome, os);
  const sweepStale = async (): Promise<readonly EndedRow[]> => {
    const judged = await judgeAll(await files.list(), tree);
    const stale = judged.filter(({ lease, ownerAlive }) => !ownerAlive || lease.stopped === true);
    const ended = await Promise.all(stale.map((each) => endLeft(each, files, { ...parts, tree })));
    await files.removeTempFiles(wallNow() - 60_000).catch(() => undefined);
    return ended.filter(
      ({ processes, containers, left }) => processes > 0 || containers.length > 0 || left.length > 0,
    );
  };

  return {
    ...createLeaseRecords({ files, tree, owner, wallNow, onWarning }),
    sweepStale,
    reap: sweepStale,
    listProcesses: async () => listRows(await judgeAll(await files.list(), tree), tree, wallNow),
  };
}

async function judgeAll(leases: readonly Lease[], tree: ProcessTree): Promise<readonly Judged[]> {
  if (leases.length === 0) return [];
  const { bootId, space } = await tree.scope();
  const isSame = async (noted: { readonly pid: number; readonly start?: string }): Promise<boolean> => {
    const now = await tree.describe(noted.pid);
    return now !== undefined && now.start === noted.start;
  };
  return Promise.all(
    // Records written in another container, or on its host, cannot be judged from here.
    leases
      .filter((lease) => lease.bootId !== bootId || lease.space === space)
      .map(async (lease) => {
        if (lease.bootId !== bootId) return { lease, ownerAlive: false, isRunning: false, isThisBoot: false };
        const [ownerAlive, isRunning] = await Promise.all([isSame(lease.owner), isSame(lease)]);
        return { lease, ownerAlive, isRunning, isThisBoot: true };
      }),
  );
}

interface EndParts extends LeaseParts {
  readonly tree: ProcessTree;
}

/** Ends everything in a record and removes the record. What cannot be ended stays recorded. */
async function endLeft(judged: Judged, files: LeaseFiles, parts: EndParts): Promise<EndedRow> {
  const { lease, isRunning, isThisBoot } = judged;
  const { tree, clock = realClock, runCommand = realRunCommand } = parts;
  const { server, pid, id, start, containerTool, descendants = [] } = lease;
  let processes = 0;
  let left: readonly ProcessIdentity[] = [];
  // Without a start time, there is no way to tell whether the pid was reused.
  const canEnd = isRunning && start !== undefined;
  if (isThisBoot) {
    // Search before ending the group: processes that left the group may only be found through a parent in it.
    const found = await tree.findDescendants(canEnd ? pid : undefined, descendants);
    if (canEnd) {
      await tree.signalGroup(pid, 'SIGKILL');
      processes += 1;
    }
    const outside = identitiesOf(found.filter(({ group }) => !canEnd || group !== pid));
    const end = await endSurvivors(outside, { tree, clock, graceMs: 0 });
    left = end.left;
    processes += end.ended + (await tree.endRun(id));
  }
  const tool = { program: containerTool ?? '', cwd: '/', env: ownEnvironment() };
  const containers = containerTool === undefined ? [] : await stopContainers(id, tool, runCommand);
  const noting = left.length === 0 ? files.remove(id) : files.write({ ...lease, descendants: left });
  await noting.catch(() => undefined);
  return { server, pid, processes, containers, left: left.map((each) => each.pid) };
}

function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
