/**
 * Finds what left its process group (`setsid`, a daemon) by the cookie in its environment, and ends it. Runs that end
 * at the same time share one look through `/proc`. Nobody can tell a daemon that was forgotten from one that was meant, so
 * both end; what is to outlive its server is started without the cookie.
 */

import { runVariable } from './process-facts.ts';
import { everyProcess, readLiving, readProcFile } from './proc-files.ts';
import { signal } from './signals.ts';

/** While it is looked for, a process may start another. */
const maxRounds = 5;

export function createLeaverSweep(): (run: string) => Promise<number> {
  let next: { readonly runs: Set<string>; readonly counts: Promise<ReadonlyMap<string, number>> } | undefined;
  const begin = async (runs: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> => {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    next = undefined;
    return endAll(runs);
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

async function endAll(runs: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
  const ended = new Map<number, string>();
  for (let round = 0; round < maxRounds; round += 1) {
    let found = 0;
    for await (const pid of everyProcess()) {
      const run = pid === process.pid ? undefined : runOf(pid);
      if (run === undefined || !runs.has(run) || readLiving(pid) === undefined) continue;
      signal(pid, 'SIGKILL');
      ended.set(pid, run);
      found += 1;
    }
    if (found === 0) break;
  }
  const counts = new Map<string, number>();
  for (const run of ended.values()) counts.set(run, (counts.get(run) ?? 0) + 1);
  return counts;
}

const marker = Buffer.from(`${runVariable}=`);

/** Variables stand one after the other, each with a NUL behind it. */
function runOf(pid: number): string | undefined {
  const bytes = readProcFile(pid, 'environ');
  if (bytes === undefined) return undefined;
  for (let at = bytes.indexOf(marker); at !== -1; at = bytes.indexOf(marker, at + 1)) {
    if (at > 0 && bytes[at - 1] !== 0) continue;
    const end = bytes.indexOf(0, at);
    return bytes.toString('latin1', at + marker.length, end === -1 ? bytes.length : end);
  }
  return undefined;
}
