/**
 * Loops over a list within the limits of a walk: each item is charged for, and the loop may pause between two
 * items.
 */

import { after, type Later } from './later.ts';
import { hasEnough, isDue, spend, takePause, type Verdict, type Walk } from './walk.ts';

const itemsInStep = 16;

interface Loop<Item> {
  readonly items: readonly Item[];
  readonly walk: Walk;
  readonly test: (item: Item, at: number) => Verdict;
  /** Called with each outcome; returns true to end the loop. */
  readonly hear: (passed: boolean) => boolean;
}

function run<Item>(loop: Loop<Item>): Later<void> {
  const { items, walk, test, hear } = loop;
  for (let at = 0; at < items.length; at += 1) {
    if (!spend(walk, 1 / itemsInStep)) return;
    if (isDue(walk))
      return finish(
        loop,
        at,
        takePause(walk).then(() => test(items[at] as Item, at)),
      ); // within the list
    const passed = test(items[at] as Item, at); // within the list
    if (passed instanceof Promise) return finish(loop, at, passed);
    if (hear(passed)) return;
  }
}

/** Continues the loop asynchronously from the first item that had to wait. */
async function finish<Item>(
  { items, walk, test, hear }: Loop<Item>,
  from: number,
  first: Promise<boolean>,
): Promise<void> {
  if (hear(await first)) return;
  for (let at = from + 1; at < items.length; at += 1) {
    if (!spend(walk, 1 / itemsInStep)) return;
    if (isDue(walk)) await takePause(walk);
    const passed = test(items[at] as Item, at); // within the list
    if (hear(passed instanceof Promise ? await passed : passed)) return;
  }
}

/** Runs the tests until one fails, or all of them when failures are collected. */
export function every<Item>(
  items: readonly Item[],
  walk: Walk,
  test: (item: Item, at: number) => Verdict,
): Verdict {
  let all = true;
  const hear = (passed: boolean): boolean => {
    if (passed) return false;
    all = false;
    return walk.failures === undefined || hasEnough(walk);
  };
  return after(run({ items, walk, test, hear }), () => all);
}

/** Runs the tests until one passes. Counts as passed once the work budget is used up. */
export function some<Item>(
  items: readonly Item[],
  walk: Walk,
  test: (item: Item, at: number) => Verdict,
): Verdict {
  let found = false;
  const hear = (passed: boolean): boolean => (found = passed);
  return after(run({ items, walk, test, hear }), () => found || walk.stopped !== undefined);
}

/** How many tests pass. */
export function countPassing<Item>(
  items: readonly Item[],
  walk: Walk,
  test: (item: Item, at: number) => Verdict,
): Later<number> {
  let count = 0;
  const hear = (passed: boolean): boolean => {
    if (passed) count += 1;
    return false;
  };
  return after(run({ items, walk, test, hear }), () => count);
}
