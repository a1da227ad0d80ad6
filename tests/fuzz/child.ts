/** Attacks one target in a process of its own, so that the parent can see a crash, a process that stands still, and its memory. */

import { openSync, readFileSync, writeSync } from 'node:fs';
import { deserialize } from 'node:v8';

import { checkCase, Fault, peakMiB, watchFaults } from './check-case.ts';
import { runRound, type Failure } from './rounds.ts';
import type { AnyTarget, OpenTarget } from './target.ts';

/** What the parent asks for, as JSON in the first argument. */
export interface Order {
  /** The module that exports `targets`. */
  readonly module: string;
  readonly target: string;
  readonly seed: string;
  /** Stalls up to this multiple of the time for `JSON.parse` do not count. */
  readonly stallRatio: number;
  /** Where the number of the round and of the case are written before the case runs. */
  readonly progress: string;
  readonly work:
    | { readonly kind: 'rounds'; readonly forMs: number }
    | { readonly kind: 'round'; readonly round: number; readonly path?: string | undefined }
    /** A single case, whose value is in a file. */
    | { readonly kind: 'case'; readonly file: string };
}

export type Report =
  | {
      readonly kind: 'round';
      readonly cases: number;
      readonly largestStall: number;
      readonly peakMiB: number;
      readonly failure?: Failure;
    }
  | { readonly kind: 'done'; readonly fault?: { readonly kind: string; readonly message: string } };

const order = JSON.parse(process.argv[2] ?? '') as Order; // written by the parent
const { targets } = (await import(order.module)) as { readonly targets: readonly AnyTarget[] }; // as the parent says
const target = targets.find(({ name }) => name === order.target);
if (target === undefined) throw new Error(`there is no target ${order.target}`);

// The parent has ended.
process.on('disconnect', () => process.exit(0));
const progress = openSync(order.progress, 'w');
const faults = watchFaults();
try {
  const opened = await target.open();
  const fault = await work(target, opened);
  await opened[Symbol.asyncDispose]();
  await tell(fault === undefined ? { kind: 'done' } : { kind: 'done', fault });
  process.disconnect();
  // What a target left running must not hold up the others.
  process.exit(0);
} catch (error) {
  // Nobody else would see it: rejections without a handler are noted for the case that runs.
  console.error(error);
  process.exit(70);
}

type Found = { readonly kind: string; readonly message: string } | undefined;

async function work(attacked: AnyTarget, opened: OpenTarget<unknown>): Promise<Found> {
  if (order.work.kind === 'case') return await runCase(order.work.file, opened);
  const until = order.work.kind === 'rounds' ? performance.now() + order.work.forMs : 0;
  let round = order.work.kind === 'round' ? order.work.round : 0;
  do {
    const { seed } = order;
    const path = order.work.kind === 'round' ? order.work.path : undefined;
    const noteCase = (at: number): void => void writeSync(progress, `${round} ${at}`.padEnd(32), 0);
    const result = await runRound(
      { seed, target: attacked.name, round, path },
      { target: attacked, opened, faults, stallRatio: order.stallRatio, onCase: noteCase },
    );
    await tell({ kind: 'round', ...result, peakMiB: peakMiB() });
    if (result.failure !== undefined) return undefined;
    round += 1;
  } while (performance.now() < until);
  return undefined;
}

async function runCase(file: string, opened: OpenTarget<unknown>): Promise<Found> {
  const value: unknown = deserialize(readFileSync(file));
  try {
    await checkCase(() => opened.prepare(value), faults, order.stallRatio);
    return undefined;
  } catch (error) {
    return error instanceof Fault
      ? { kind: error.kind, message: error.message }
      : { kind: 'crash', message: String(error) };
  }
}

function tell(report: Report): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(report, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });
}
