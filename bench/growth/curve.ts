/** The record of a growth measurement and how it is taken: alternating sizes, medians, CPU time of this process and wall time. */

import { median } from '../measure.ts';

export interface Point {
  readonly size: number;
  /** Of this process alone: servers are processes of their own, and two cores start many of them slowly. */
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** How cost may grow with size: search may take a logarithm more. */
export type Allowed = 'linear' | 'log-linear';

export interface Curve {
  readonly id: string;
  readonly title: string;
  /** What the size counts. */
  readonly counts: string;
  readonly allowed: Allowed;
  readonly points: readonly Point[];
}

/** Counts what the work costs towards a curve; `per` tells how many times it was done. */
export type Take = (id: string, work: () => Promise<void>, per?: number) => Promise<void>;

export interface Bench {
  run(take: Take): Promise<void>;
  close(): Promise<void>;
}

export interface Subject {
  readonly curves: readonly Omit<Curve, 'points'>[];
  readonly sizes: readonly number[];
  /** Rounds that do not count: a program that runs on is compiled by then. */
  readonly warmUps: number;
  readonly rounds: number;
  /** Makes everything ready that is not the point. */
  open(size: number): Promise<Bench>;
}

/** With `quick` one round has to do: to see that it works, not to judge by. */
export async function measure(subject: Subject, quick: boolean): Promise<readonly Curve[]> {
  const { curves, sizes, open } = subject;
  const [warmUps, rounds] = quick ? [1, 1] : [subject.warmUps, subject.rounds];
  const benches: { readonly size: number; readonly bench: Bench }[] = [];
  const samples = new Map<string, { cpuMs: number; wallMs: number }[]>();
  try {
    for (const size of sizes) benches.push({ size, bench: await open(size) });
    for (let round = -warmUps; round < rounds; round += 1) {
      for (const { size, bench } of benches) {
        await bench.run(async (id, work, per = 1) => {
          const cost = await costOf(work);
          const key = `${id} ${size}`;
          const kept = samples.get(key) ?? [];
          if (round >= 0) kept.push({ cpuMs: cost.cpuMs / per, wallMs: cost.wallMs / per });
          samples.set(key, kept);
        });
      }
    }
  } finally {
    for (const { bench } of benches) await bench.close();
  }
  return curves.map((curve) => ({
    ...curve,
    points: sizes.map((size) => {
      const kept = samples.get(`${curve.id} ${size}`) ?? [];
      return {
        size,
        cpuMs: median(kept.map(({ cpuMs }) => cpuMs)),
        wallMs: median(kept.map(({ wallMs }) => wallMs)),
      };
    }),
  }));
}

async function costOf(work: () => Promise<void>): Promise<{ cpuMs: number; wallMs: number }> {
  globalThis.gc?.(); // rubbish of others is not on this bill
  const start = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() - start };
}
