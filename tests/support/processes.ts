/** Processes as `/proc` reports them: those that must have exited, and waiting for one to exit. Zombies do not count. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Processes whose environment has this variable with this value, whoever started them. */
export function processesWith(name: string, value: string): readonly number[] {
  const wanted = Buffer.from(`${name}=${value}\0`);
  return fs
    .readdirSync('/proc')
    .map(Number)
    .filter(
      (pid) =>
        Number.isInteger(pid) &&
        readIfThere(`/proc/${pid}/environ`)?.includes(wanted) === true &&
        isAlive(pid),
    );
}

/** A number to send a signal to. None at all would mean everybody in the group of the tests. */
export function known(pid: number | null | undefined): number {
  if (pid === null || pid === undefined || pid <= 0) throw new Error('it has no process');
  return pid;
}

/** Its first thread may have ended before the others, which still hold its files. */
export function isAlive(pid: number): boolean {
  const stat = readIfThere(`/proc/${pid}/stat`)?.toString('latin1') ?? '';
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  return state !== '' && state !== 'X' && (state !== 'Z' || Number(fields[17]) > 1);
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Every argument list of every process that starts meanwhile, again and again until told to stop. */
export async function watchArguments(stop: AbortSignal): Promise<readonly string[]> {
  const before = new Set(fs.readdirSync('/proc'));
  const lines = new Set<string>();
  while (!stop.aborted) {
    for (const pid of fs.readdirSync('/proc'))
      if (!before.has(pid) && /^\d+$/.test(pid))
        lines.add(readIfThere(`/proc/${pid}/cmdline`)?.toString('utf8') ?? '');
    // Each of them lives many times as long; without a pause this takes a core from those it looks at.
    await pause(5);
  }
  return [...lines];
}

/** Waits until it holds, since the end of somebody else's process is told to nobody. Answers how long that took. */
export async function until(holds: () => boolean, withinMs: number): Promise<number> {
  const startedAt = performance.now();
  while (!holds()) {
    if (performance.now() - startedAt > withinMs)
      throw new Error(`not so after ${withinMs} ms: ${holds.toString()}`);
    await pause(5);
  }
  return performance.now() - startedAt;
}

/** The number of a process that has ended. */
export async function deadNumber(): Promise<number> {
  const child = spawn('true', { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid ?? 0;
}
