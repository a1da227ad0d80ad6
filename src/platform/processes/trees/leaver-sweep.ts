/**
 * Finds processes that left their group (`setsid`, daemons) by the cookie in their environment, and kills
 * them. Runs that end at the same time share one scan of `/proc`. Forgotten and intended daemons look the
 * same, so both are killed. Processes without the cookie are ended only if they were recorded as descendants
 * (`descendant-record.ts`).
 */

import { setTimeout as pause } from 'node:timers/promises';

import { runVariable } from './process-facts.ts';
import { everyProcess, readLiving, readProcFile, type ProcStat } from './proc-files.ts';
import { signal } from './signals.ts';

/** During the scan, a process may start another one. */
const maxRounds = 5;
/** The pauses before each further look at processes without an environment. */
const pausesMs = [1, 2, 4, 8, 16];

export function createLeaverSweep(): (run: string) => Promise<number> {
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
