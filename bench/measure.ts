/** Timing that survives a noisy machine: cases take turns, the median counts, the rest is a ratio. */

import { spawnSync } from 'node:child_process';
import os from 'node:os';

export interface BenchResult {
  readonly name: string;
  readonly value: number;
  readonly unit: '×' | 'ms' | '× linear' | 'MiB';
  readonly target?: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export interface Case {
  readonly name: string;
  readonly args: readonly string[];
  /** Default: the Node that runs the bench. */
  readonly program?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Runs before each round and is not measured. */
  readonly before?: () => void;
}

export interface Timings {
  /** Median wall time of a command, in milliseconds. */
  ms(name: string): number;
  /** How much longer than another: the median over all rounds, since a machine that is slow for a while is so for both. */
  ratio(name: string, to: string): number;
}

/** Wall times of commands that take turns. */
export function timeCommands(cases: readonly Case[], rounds: number): Timings {
  const times = new Map(cases.map(({ name }) => [name, [] as number[]]));
  for (let round = -2; round < rounds; round += 1) {
    for (const { name, args, program = process.execPath, cwd, env, before } of cases) {
      before?.();
      const start = performance.now();
      const { status, stderr } = spawnSync(program, args, {
        ...(cwd === undefined ? {} : { cwd }),
        env: { ...process.env, ...env },
      });
      const took = performance.now() - start;
      if (status !== 0) throw new Error(`${name} failed: ${stderr.toString()}`);
      if (round >= 0) times.get(name)?.push(took); // the first rounds only warm the disk's cache
    }
  }
  const of = (name: string): readonly number[] => times.get(name) ?? [];
  return {
    ms: (name) => median(of(name)),
    ratio: (name, to) => median(of(name).map((took, round) => took / (of(to)[round] ?? Number.NaN))),
  };
}

/** When and where something was measured. */
export function runFacts(): {
  readonly at: string;
  readonly node: string;
  readonly machine: { readonly cores: number; readonly model: string; readonly load: readonly number[] };
} {
  const cpus = os.cpus();
  const load = os.loadavg().map((share) => Number(share.toFixed(2)));
  return {
    at: new Date().toISOString(),
    node: process.version,
    machine: { cores: cpus.length, model: cpus[0]?.model ?? '', load },
  };
}
