/** The process tree on Linux, read from `/proc`. */

import fs from 'node:fs';
import os from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

import { descendantsOf, readerOf, type FamilyReader } from './descendants.ts';
import {
  everyProcess,
  listsChildren,
  readChildren,
  readLiving,
  readProcFile,
  type ProcStat,
} from './proc-files.ts';
import {
  runVariable,
  signal,
  type NumberScope,
  type ProcessTree,
  type ProcessUsage,
} from './process-facts.ts';

/** `isListing`: whether the kernel lists the children of each process. */
export function createLinuxTree(isListing = listsChildren()): ProcessTree {
  const sweep = createRunSweep();
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
    endRun: (run) => sweep(run),
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

/** During the scan, a process may start another one. */
const maxRounds = 5;
/** The pauses before each further look at processes without an environment. */
const pausesMs = [1, 2, 4, 8, 16];

function createRunSweep(): (run: string) => Promise<number> {
  const bare = new Set<string>();
  let next: { readonly runs: Set<string>; readonly counts: Promise<ReadonlyMap<string, number>> } | undefined;
  const begin = async (runs: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> => {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    next = undefined;
    return endAll(runs, bare);
  };
  return async (run) => {
    if (next === undefined) {
      const runs = new Set<string>();
      next = { runs, counts: begin(runs) };
    }
    next.runs.add(run);
    const counts = await next.counts;
    return counts.get(run) ?? 0;
  };
}

/** `bare` holds processes that still had no environment after the wait; they are not waited for again. */
async function endAll(runs: ReadonlySet<string>, bare: Set<string>): Promise<ReadonlyMap<string, number>> {
  const ended = new Map<number, string>();
  for (let round = 0; round < maxRounds; round += 1) {
    let found = 0;
    let between: ProcStat[] = [];
    const look = (pid: number): void => {
      const seen = lookAt(pid);
      if (seen === undefined) return;
      if (typeof seen !== 'string') between.push(seen);
      else if (runs.has(seen) && readLiving(pid) !== undefined) {
        signal(pid, 'SIGKILL');
        ended.set(pid, seen);
        found += 1;
      }
    };
    for await (const pid of everyProcess()) if (pid !== process.pid) look(pid);
    for (const ms of pausesMs) {
      const again = between.filter((stat) => !bare.has(identityOf(stat)));
      if (again.length === 0) break;
      await pause(ms);
      between = [];
      for (const { pid } of again) look(pid);
    }
    for (const stat of between) bare.add(identityOf(stat));
    if (found === 0) break;
  }
  const counts = new Map<string, number>();
  for (const run of ended.values()) counts.set(run, (counts.get(run) ?? 0) + 1);
  return counts;
}

/**
 * Returns the cookie of the process's run, if any. During exec a process briefly has no environment; then
 * returns its facts, because its run is not known yet.
 */
function lookAt(pid: number): string | ProcStat | undefined {
  const environment = readProcFile(pid, 'environ');
  if (environment === undefined || environment.length > 0) return environment && runOf(environment);
  const stat = readLiving(pid);
  return stat?.isKernels === false ? stat : undefined;
}

/** Pids are reused, but not together with the same start time. */
function identityOf({ pid, start }: ProcStat): string {
  return `${pid} ${start}`;
}

const marker = Buffer.from(`${runVariable}=`);

/** The environment is a sequence of variables, each followed by a NUL. */
function runOf(bytes: Buffer): string | undefined {
  for (let at = bytes.indexOf(marker); at !== -1; at = bytes.indexOf(marker, at + 1)) {
    if (at > 0 && bytes[at - 1] !== 0) continue;
    const end = bytes.indexOf(0, at);
    return bytes.toString('latin1', at + marker.length, end === -1 ? bytes.length : end);
  }
  return undefined;
}
