/**
 * How long the event loop has to wait for its turn while work runs. Others use the machine as well, and threads of our own
 * clear memory away meanwhile: so each wait counts as the lesser of what the clock and what the CPU time of this process say.
 */

import { cpuMs } from './cpu-time.ts';

interface Moment {
  readonly wall: number;
  readonly cpu: number;
}

const now = (): Moment => ({ wall: performance.now(), cpu: cpuMs() });
const between = (from: Moment, to: Moment): number => Math.min(to.wall - from.wall, to.cpu - from.cpu);
const nextTick = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** Runs `look` again and again until the returned function is called. */
type LookOften = (look: () => void) => () => void;

/** In every turn, which keeps a core busy. */
const everyTurn: LookOften = (look) => {
  const again = (): void => {
    look();
    next = setImmediate(again);
  };
  let next = setImmediate(again);
  return () => clearImmediate(next);
};

/** Leaves the core to other processes between two looks; a stall is measured up to `ms` too long. */
export const everyMs =
  (ms: number): LookOften =>
  (look) => {
    const timer = setInterval(look, ms);
    return () => clearInterval(timer);
  };

/** In milliseconds. */
export async function longestStall(work: () => unknown, lookOften: LookOften = everyTurn): Promise<number> {
  let longest = 0;
  await nextTick();
  let last = now();
  const look = (): void => {
    const here = now();
    longest = Math.max(longest, between(last, here));
    last = here;
  };
  const stop = lookOften(look);
  try {
    await work();
    await nextTick();
    look();
  } finally {
    stop();
  }
  return longest;
}

/** In milliseconds. */
export function timeOf(work: () => unknown): number {
  const from = now();
  work();
  return between(from, now());
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const rounds = 3;

/**
 * The longest stall as a multiple of the time that `JSON.parse` takes for the same text in the same run: the median of three
 * rounds, after one that only warms up. Each round gets values of its own, so that nothing is remembered from the last one.
 */
export async function stallRatio(text: string, work: (input: unknown) => unknown): Promise<number> {
  const parsing: number[] = [];
  const stalls: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    parsing.push(timeOf(() => void JSON.parse(text)));
    const input: unknown = JSON.parse(text);
    stalls.push(await longestStall(() => work(input)));
  }
  return median(stalls.slice(1)) / median(parsing.slice(1));
}
