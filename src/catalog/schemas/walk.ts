/**
 * The state of one check: the current path, the failures, and the remaining work; and the loops that charge
 * for what they do. The schema comes from a server, so the work is limited: when the budget is used up the
 * walk stops, everything counts as passed, and `stopped` has the reason. Work is measured in steps of about a
 * microsecond each.
 */

import type { JsonObject } from '../../kernel/json.ts';
import { after, type Later } from './maybe-promise.ts';
import { pathText, schemaNames } from './names.ts';

/** Enough for any tool seen so far by a factor of a hundred; some tens of milliseconds at worst. */
const freeSteps = 20_000;
/** Large arguments need more: this many steps for each value in them. */
const stepsForEach = 10;
/** Values are counted only when the free steps are used up, and no more of them than needed. */
const valuesAtATime = 1000;
/** The event loop gets a turn after this much work. */
const stepsInSlice = 500;
/**
 * Schemas that are nested or refer deeper than this are not followed. Leaves a safe margin to a stack
 * overflow.
 */
const maxDepth = 256;
const maxFailures = 20;
const maxWarnings = 5;
/** Reading this many names of an object costs one step. */
const namesInStep = 8;

export interface Failure {
  readonly path: string;
  readonly expected: string;
}

/** Whether a value passes; a promise when the check had to pause. */
export type Verdict = Later<boolean>;

/** Gives the event loop a turn. Rejects when the check has been cancelled. */
export type Pause = () => Promise<void>;

/** The remaining work of matching patterns. One unit is one visit of a step of the pattern. */
export interface PatternBudget {
  left: number;
  /** Called with the work that was just done; when it returns a promise, the match waits for it. */
  readonly pace?: (visits: number) => Promise<void> | undefined;
}

export interface Walk {
  readonly path: (string | number)[];
  /**
   * The schema documents that the walk is inside of, outermost first. References are resolved in the last
   * one.
   */
  readonly scope: JsonObject[];
  /** Collected only when they will be reported; otherwise the first failure ends the check. */
  failures: Failure[] | undefined;
  depth: number;
  stepsLeft: number;
  /** Steps until the next pause. */
  sliceLeft: number;
  /** Without it the walk never pauses, and no verdict is a promise. */
  readonly pause: Pause | undefined;
  readonly countMore: CountMore;
  /** Why the walk stopped early, if it did. */
  stopped: string | undefined;
  /** What was not checked. */
  readonly warnings: Set<string>;
  /** The budget for matching patterns; about 20 ms at worst. */
  readonly matching: PatternBudget;
  readonly check: (schema: unknown, value: unknown) => Verdict;
}

/** Whether `value` satisfies the keyword with this `operand`. */
export type Keyword = (operand: unknown, value: unknown, schema: JsonObject, walk: Walk) => Verdict;

export type Check = (schema: unknown, value: unknown, walk: Walk) => Verdict;

export function createWalk(root: unknown, given: unknown, check: Check, pause?: Pause): Walk {
  const walk: Walk = {
    path: [],
    scope: [typeof root === 'object' && root !== null ? (root as JsonObject) : {}], // never a list
    failures: undefined,
    depth: 0,
    stepsLeft: freeSteps,
    sliceLeft: stepsInSlice,
    pause,
    countMore: createValueCounter(given),
    stopped: undefined,
    warnings: new Set(),
    matching: { left: 150_000, pace: (visits) => pace(walk, visits) },
    check: (schema, value) => check(schema, value, walk),
  };
  return walk;
}

/** Whether the walk may go one level deeper. Charges one step; the caller updates `depth`. */
export function mayEnter(walk: Walk): boolean {
  if (walk.stopped !== undefined || hasEnough(walk)) return false;
  if (walk.depth >= maxDepth)
    return stop(walk, `is nested or refers to itself more than ${maxDepth} levels deep`);
  return spend(walk, 1);
}

export function hasEnough(walk: Walk): boolean {
  return walk.failures !== undefined && walk.failures.length >= maxFailures;
}

/** Charges for work. Returns false once the budget is used up. */
export function spend(walk: Walk, steps: number): boolean {
  walk.stepsLeft -= steps;
  walk.sliceLeft -= steps;
  if (walk.stepsLeft >= 0 && walk.stopped === undefined) return true;
  return walk.stopped === undefined && (earnSteps(walk) || stop(walk, 'takes too much work to check'));
}

function earnSteps(walk: Walk): boolean {
  while (walk.stepsLeft < 0) {
    const counted = walk.countMore(valuesAtATime);
    if (counted === 0) return false;
    walk.stepsLeft += stepsForEach * counted;
  }
  return true;
}

export function isDue(walk: Walk): boolean {
  return walk.sliceLeft < 0 && walk.pause !== undefined;
}

/** Call this when `isDue` returns true. */
export async function takePause(walk: Walk): Promise<void> {
  await walk.pause?.();
  walk.sliceLeft = stepsInSlice;
}

/** The pattern matcher has a budget of its own, but its visits count towards the slice too. */
const visitsInStep = 8;

export function countVisits(walk: Walk, visits: number): void {
  walk.sliceLeft -= visits / visitsInStep;
}

function pace(walk: Walk, visits: number): Promise<void> | undefined {
  countVisits(walk, visits);
  return isDue(walk) ? takePause(walk) : undefined;
}

function stop(walk: Walk, reason: string): false {
  walk.stopped ??= reason;
  return false;
}

/** Records that something could not be checked. It counts as passed. */
export function warn(walk: Walk, text: string): true {
  if (walk.warnings.size < maxWarnings) walk.warnings.add(text);
  return true;
}

/** Records what was expected here. The message is built only when it will be reported. */
export function fail(walk: Walk, expected: () => string): false {
  const { failures } = walk;
  if (failures === undefined || hasEnough(walk)) return false;
  // Failures found after the budget is used up are unreliable, but one reason is better than none.
  if (walk.stopped === undefined || failures.length === 0) {
    failures.push({ path: pathText(walk.path), expected: expected() });
    countMessage(walk);
  }
  return false;
}

/**
 * Building a message may inspect hundreds of alternatives, so the event loop gets a turn before the next one.
 */
export function countMessage(walk: Walk): void {
  walk.sliceLeft -= stepsInSlice;
}

export function checkAt(walk: Walk, key: string | number, schema: unknown, value: unknown): Verdict {
  walk.path.push(key);
  const passed = walk.check(schema, value);
  if (passed instanceof Promise) return passed.finally(() => walk.path.pop());
  walk.path.pop();
  return passed;
}

/** Whether a value passes, without collecting failures. */
export function passes(walk: Walk, schema: unknown, value: unknown): Verdict {
  const kept = walk.failures;
  walk.failures = undefined;
  const passed = walk.check(schema, value);
  if (passed instanceof Promise) return passed.finally(() => (walk.failures = kept));
  walk.failures = kept;
  return passed;
}

/** Returns the names of a value's own fields, and charges for reading them. */
export function namesOf(value: object, walk: Walk): readonly string[] {
  const names = Object.keys(value);
  spend(walk, names.length / namesInStep);
  return names;
}

/** Returns the names in a part of a schema, and charges for reading them unless they are cached. */
export function schemaNamesOf(schema: JsonObject, walk: Walk): readonly string[] {
  return schemaNames(schema, (names) => spend(walk, names / namesInStep));
}

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

const maxCount = 100_000;
/** A long string counts as several values, because it takes as long to process. */
const charactersForOne = 100;

/** Counts about `atLeast` more values and returns how many were found; 0 when none are left. */
export type CountMore = (atLeast: number) => number;

export function createValueCounter(root: unknown): CountMore {
  const waiting: object[] = [];
  let rest = maxCount;
  let found = 0;
  const count = (value: unknown): void => {
    found += 1;
    if (typeof value === 'string') found += Math.floor(value.length / charactersForOne);
    else if (typeof value === 'object' && value !== null) waiting.push(value);
  };
  count(root);
  return (atLeast) => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const value of Array.isArray(next) ? next : Object.values(next)) count(value);
      if (found >= atLeast) break;
    }
    const more = Math.min(found, rest);
    rest -= more;
    found = 0;
    if (rest === 0) waiting.length = 0;
    return more;
  };
}
