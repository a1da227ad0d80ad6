/** Loops and generators that are synchronous when the work is small and otherwise let the event loop run in between. Work that fits into one slice returns a plain value, so a normal check creates no promise. */

import type { MaybePromise } from '../../kernel/type-tools.ts';
import { hasEnoughFailures, isPauseDue, spend, takePause, type Verdict, type Walk } from './walk.ts';

export function chain<Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** A computation that may have to wait: it yields each promise that it needs before it can go on. */
export type Steps<Value> = Generator<Promise<unknown>, Value, undefined>;

export function runSteps<Value>(steps: Steps<Value>): MaybePromise<Value> {
  const first = steps.next();
  return first.done === true ? first.value : finishSteps(steps, first.value);
}

async function finishSteps<Value>(steps: Steps<Value>, first: Promise<unknown>): Promise<Value> {
  let pending = first;
  for (;;) {
    await pending;
    const next = steps.next();
    if (next.done === true) return next.value;
    pending = next.value;
  }
}

/** Waits for a value inside `Steps`. */
export function* wait<Value>(value: MaybePromise<Value>): Steps<Value> {
  if (!(value instanceof Promise)) return value;
  const settled: Value[] = [];
  yield value.then((found) => settled.push(found));
  return settled[0] as Value; // these steps only continue after the promise was fulfilled
}

const itemsInStep = 16;

interface Loop<Item> {
  readonly items: readonly Item[];
  readonly walk: Walk;
  readonly test: (item: Item, at: number) => Verdict;
  /** Called with each outcome; returns true to end the loop. */
  readonly onOutcome: (passed: boolean) => boolean;
}

function runLoop<Item>(loop: Loop<Item>): MaybePromise<void> {
  const { items, walk, test, onOutcome } = loop;
  for (let at = 0; at < items.length; at += 1) {
    if (!spend(walk, 1 / itemsInStep)) return;
    if (isPauseDue(walk))
      return finishLoop(
        loop,
        at,
        takePause(walk).then(() => test(items[at] as Item, at)),
      ); // within the list
    const passed = test(items[at] as Item, at); // within the list
    if (passed instanceof Promise) return finishLoop(loop, at, passed);
    if (onOutcome(passed)) return;
  }
}

/** Continues the loop asynchronously from the first item that had to wait. */
async function finishLoop<Item>(
  { items, walk, test, onOutcome }: Loop<Item>,
  from: number,
  first: Promise<boolean>,
): Promise<void> {
  if (onOutcome(await first)) return;
  for (let at = from + 1; at < items.length; at += 1) {
    if (!spend(walk, 1 / itemsInStep)) return;
    if (isPauseDue(walk)) await takePause(walk);
    const passed = test(items[at] as Item, at); // within the list
    if (onOutcome(passed instanceof Promise ? await passed : passed)) return;
  }
}

/** Runs the tests until one fails, or all of them when failures are collected. */
export function every<Item>(
  items: readonly Item[],
  walk: Walk,
  test: (item: Item, at: number) => Verdict,
): Verdict {
  let all = true;
  const onOutcome = (passed: boolean): boolean => {
    if (passed) return false;
    all = false;
    return walk.failures === undefined || hasEnoughFailures(walk);
  };
  return chain(runLoop({ items, walk, test, onOutcome }), () => all);
}

/** Runs the tests until one passes. Counts as passed once the work budget is used up. */
export function some<Item>(
  items: readonly Item[],
  walk: Walk,
  test: (item: Item, at: number) => Verdict,
): Verdict {
  let found = false;
  const onOutcome = (passed: boolean): boolean => (found = passed);
  return chain(runLoop({ items, walk, test, onOutcome }), () => found || walk.stopped !== undefined);
}

/** How many tests pass. */
export function countPassing<Item>(
  items: readonly Item[],
  walk: Walk,
  test: (item: Item, at: number) => Verdict,
): MaybePromise<number> {
  let count = 0;
  const onOutcome = (passed: boolean): boolean => {
    if (passed) count += 1;
    return false;
  };
  return chain(runLoop({ items, walk, test, onOutcome }), () => count);
}
