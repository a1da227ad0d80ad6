/** A host with fixture servers in a temporary home, and the helpers that all figures share. */

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';

import type { Client } from '@modelcontextprotocol/client';

import type { Host, HostOptions } from '../../src/host/host.ts';
import type { Connection } from '../../src/connection/connection.ts';
import { openHostWith } from '../../src/host/open-host.ts';
import { createSdkClients } from '../../src/host/sdk-clients.ts';
import type { ServerConfig, StdioServerConfig } from '../../src/roster/server-config.ts';
import { processesWith } from '../../tests/support/processes.ts';

const folder = path.join(import.meta.dirname, '..', '..', 'tests', 'fixtures', 'servers');
export const markName = 'HOLT_TEST_MARK';

export interface Figure {
  /** The row of the fault table, or what else it is about. */
  readonly id: string;
  readonly name: string;
  readonly value: number;
  readonly unit: '×' | 'ms' | 'MiB' | 'count';
  readonly target: number;
}

/** What is measured together. */
export type Part = () => Promise<readonly Figure[]>;

export interface Entry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export function fixtureEntry(name: string, ...args: readonly string[]): Entry {
  return { command: process.execPath, args: [path.join(folder, `${name}.mjs`), ...args] };
}

export interface BenchHost extends AsyncDisposable {
  readonly host: Host;
  readonly home: string;
  /** Connects one server and answers its client. */
  client(name: string): Promise<Client>;
  /** A call as holt makes it: within its limits, on a connection that lives. */
  use(name: string): Connection['use'];
  survivors(): number;
  /** What the programs have used of the processors so far. */
  cpuTicks(): number;
}

export async function openBenchHost(
  servers: Readonly<Record<string, ServerConfig>>,
  options: HostOptions = {},
): Promise<BenchHost> {
  const home = await temporaryHome();
  const mark = randomUUID();
  const marked = Object.fromEntries(
    Object.entries(servers).map(([name, entry]) => [
      name,
      isProgram(entry) ? { ...entry, env: { ...entry.env, [markName]: mark } } : entry,
    ]),
  );
  const { host, supervisor } = await openHostWith(
    { home: home.path, cwd: home.path, servers: marked, ...options },
    { sdkClients: (parts) => createSdkClients(parts, (name) => import(name)) },
  );
  return {
    host,
    home: home.path,
    client: async (name) => {
      const status = await host.connect(name);
      const client = (await host.clients<Client>())[name];
      if (client === undefined) throw new Error(`${name} is not connected: ${JSON.stringify(status)}`);
      return client;
    },
    use: (name) => {
      const connection = supervisor.connections.get(name);
      if (connection === undefined) throw new Error(`there is no ${name}`);
      return connection.use.bind(connection);
    },
    cpuTicks: () => processesWith(markName, mark).reduce((sum, pid) => sum + ticksOf(pid), 0),
    survivors: () => processesWith(markName, mark).length,
    [Symbol.asyncDispose]: async () => {
      await host.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

export async function temporaryHome(): Promise<AsyncDisposable & { readonly path: string }> {
  const home = await fs.mkdtemp(path.join(os.tmpdir(), 'holt-faults-'));
  return { path: home, [Symbol.asyncDispose]: () => fs.rm(home, { recursive: true, force: true }) };
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** How long something takes to fail; anything else is an error. */
export async function timedFailure(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  const outcome = await work().then(
    (value) => JSON.stringify(value),
    () => undefined,
  );
  if (outcome !== undefined) throw new Error(`it did not fail: ${outcome}`);
  return performance.now() - start;
}

export async function repeat(times: number, work: () => Promise<number>): Promise<readonly number[]> {
  const values: number[] = [];
  for (let round = 0; round < times; round += 1) values.push(await work());
  return values;
}

/**
 * Rounds of something whose figure other work on the machine can only make larger: the best of them counts, and when that is
 * good enough there is no need for more.
 */
export async function bestOf(
  rounds: { readonly least: number; readonly most: number },
  target: number,
  work: () => Promise<number>,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds.most && (round < rounds.least || least > target); round += 1)
    least = Math.min(least, await work());
  return least;
}

export function best(values: readonly number[]): number {
  return Math.min(...values);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** How late the event loop was at most while something ran. */
export async function longestLag(work: () => Promise<unknown>): Promise<number> {
  const resolutionMs = 5;
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  try {
    await work();
    // What the work did last is only seen when the next tick comes late.
    await pause(4 * resolutionMs);
  } finally {
    histogram.disable();
  }
  return histogram.max / 1e6 - resolutionMs;
}

/**
 * What one turn of the event loop costs of the processor while something runs, p99 in milliseconds. Time by the clock would
 * also count what others on the machine do.
 */
export async function turnMs(work: () => Promise<unknown>): Promise<number> {
  const costs: number[] = [];
  const progress = { isOver: false };
  const working = work().finally(() => {
    progress.isOver = true;
  });
  for (let before = process.cpuUsage(); !progress.isOver; before = process.cpuUsage()) {
    await nextTurn();
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / 1000);
  }
  await working;
  return percentile(costs, 0.99);
}

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc') as () => void; // there since the flag is set

/** What is in use after everything unused was collected, also what a collection only announces. */
export async function usedBytes(): Promise<number> {
  const seen: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    collect();
    await nextTurn();
    seen.push(nowBytes());
  }
  return Math.min(...seen);
}

/** What is in use, with what only waits to be collected. */
export function nowBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** User and system time; the name before them may contain anything. */
function ticksOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0; // it is gone
  }
}

function isProgram(entry: ServerConfig): entry is StdioServerConfig {
  return 'command' in entry && typeof entry.command === 'string';
}
