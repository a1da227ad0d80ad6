/** Processes on Linux, by `/proc`. */

import fs from 'node:fs';

import type { NumberScope, ProcessTree } from './process-facts.ts';
import { createLeaverSweep } from './leaver-sweep.ts';
import { everyProcess, readLiving, readProcFile, type ProcStat } from './proc-files.ts';
import { signal } from './signals.ts';

export function createLinuxTree(): ProcessTree {
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
    // The signal 0 is quick to say that nobody is there; that somebody is may only mean a zombie.
    isGroupAlive: async (leader) => signal(-leader, 0) && (await membersOf(leader)).length > 0,
    signalGroup: async (leader, name) => void signal(-leader, name),
    endLeavers: (run) => sweep(run),
  };
}

/** A container may hide it; then starts alone tell processes apart. */
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
