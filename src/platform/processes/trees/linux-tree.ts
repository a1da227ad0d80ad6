/** The process tree on Linux, read from `/proc`. */

import fs from 'node:fs';
import os from 'node:os';

import { descendantsOf, readerOf, type FamilyReader } from './descendants.ts';
import type { NumberScope, ProcessTree, ProcessUsage } from './process-facts.ts';
import { createLeaverSweep } from './leaver-sweep.ts';
import {
  everyProcess,
  listsChildren,
  readChildren,
  readLiving,
  readProcFile,
  type ProcStat,
} from './proc-files.ts';
import { signal } from './signals.ts';

/** `isListing`: whether the kernel lists the children of each process. */
export function createLinuxTree(isListing = listsChildren()): ProcessTree {
  const sweep = createLeaverSweep();
  let scope: NumberScope | undefined;
  return {
    describe: async (pid) => {
      const stat = readLiving(pid);
      return stat === undefined ? undefined : { pid, group: stat.group, start: stat.start };
    },
    scope: async () => (scope ??= { bootId: readBootId(), space: readSpace() }),
    memoryBytes: async (leader) => {
      const members = await membersOf(leader);
      return members.length === 0 ? undefined : members.reduce((sum, { pid }) => sum + residentBytes(pid), 0);
    },
    // Signal 0 is a fast check for an empty group. If it succeeds, there may still be only zombies.
    isGroupAlive: async (leader) => signal(-leader, 0) && (await membersOf(leader)).length > 0,
    signalGroup: async (leader, name) => void signal(-leader, name),
    endLeavers: (run) => sweep(run),
    findDescendants: async (leader, known) =>
      descendantsOf(leader, known, isListing ? byChildren : await readFamily()),
    signalProcess: async ({ pid, start }, name) => {
      const stat = readLiving(pid);
      if (stat?.start !== start) return;
      const isLeader = stat.group === pid && readLiving('self')?.group !== pid;
      signal(isLeader ? -pid : pid, name);
    },
    usage: async (pid) => usageOf(pid),
  };
}

/** Reads only the processes it encounters, which takes a tenth of a millisecond for a typical server. */
const byChildren: FamilyReader<ProcStat> = {
  self: process.pid,
  describe: readLiving,
  childrenOf: readChildren,
};

/** Reads all processes, for kernels that do not list children. */
async function readFamily(): Promise<FamilyReader<ProcStat>> {
  const rows: ProcStat[] = [];
  for await (const pid of everyProcess()) {
    const stat = readLiving(pid);
    if (stat !== undefined) rows.push(stat);
  }
  return readerOf(rows, process.pid);
}

/** Start times are in hundredths of a second on every architecture that Node supports. */
const tickMs = 10;

function usageOf(pid: number): ProcessUsage | undefined {
  const stat = readLiving(pid);
  const name = readProcFile(pid, 'comm')?.toString('utf8').trimEnd();
  if (stat === undefined || name === undefined) return undefined;
  const ageMs = Math.max(0, Math.round(os.uptime() * 1000 - Number(stat.start) * tickMs));
  return { name, memoryBytes: residentBytes(pid), ageMs };
}

/** A container may hide the boot id; then only start times tell processes apart. */
function readBootId(): string {
  try {
    return fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

function readSpace(): string {
  try {
    return fs.readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

async function membersOf(leader: number): Promise<readonly ProcStat[]> {
  const members: ProcStat[] = [];
  for await (const pid of everyProcess()) {
    const stat = readLiving(pid);
    if (stat?.group === leader) members.push(stat);
  }
  return members;
}

function residentBytes(pid: number): number {
  const status = readProcFile(pid, 'status')?.toString('latin1') ?? '';
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
