/**
 * The state of one check: where we are, what failed, and how much work is left. A server writes the schema, so the
 * work is bounded: when it runs out the walk stops, everything counts as passed, and the reason is kept. Work is measured in
 * steps, of about a microsecond each; every keyword charges for what it really does.
 */

import type { JsonObject } from '../tool-info.ts';
import { createValueCounter, type CountMore } from './count-values.ts';
import { schemaNames } from './json.ts';
import type { Later } from './later.ts';
import type { Allowance } from './linear-pattern.ts';
import { pathText } from './path-text.ts';

/** Enough for any tool seen so far by a factor of a hundred; some tens of milliseconds at worst. */
const freeSteps = 20_000;
/** Large arguments need more: this much for each value in them. */
const stepsForEach = 10;
/** Values are counted only when the free steps are used up, and no more of them than needed. */
const valuesAtATime = 1000;
/** The event loop gets a turn after this much work. */
const stepsInSlice = 500;
/** Schemas nested or referring deeper than this are not followed. Keeps clear of the stack's end. */
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

/** Gives the event loop a turn. Rejects when the check is no longer wanted. */
export type Pause = () => Promise<void>;

export interface Walk {
  readonly path: (string | number)[];
  /** The schema documents we are inside of, outermost first: references are read from the last. */
  readonly scope: JsonObject[];
  /** Collected only when somebody will read them; until then the first failure ends the check. */
  failures: Failure[] | undefined;
  depth: number;
  stepsLeft: number;
  /** Steps until the next pause. */
  sliceLeft: number;
  /** Without it the walk never pauses, and no verdict is a promise. */
  readonly pause: Pause | undefined;
  readonly countMore: CountMore;
  /** Set when the walk gave up. */
  stopped: string | undefined;
  /** Keywords that were passed over. */
  readonly warnings: Set<string>;
  /** For matching patterns; about 20 ms at worst. */
  readonly matching: Allowance;
  readonly check: (schema: unknown, value: unknown) => Verdict;
}

/** Whether `value` keeps what the keyword's `operand` asks. */
export type Keyword = (operand: unknown, value: unknown, schema: JsonObject, walk: Walk) => Verdict;

export type Check = (schema: unknown, value: unknown, walk: Walk) => Verdict;

export function createWalk(root: unknown, given: unknown, check: Check, pause?: Pause): Walk {
  const walk: Walk = {
    path: [],
    scope: [typeof root === 'object' && root !== null ? (root as JsonObject) : {}], // lists never get here as schemas
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

/** True when the walk may go one level deeper; the caller takes the level back. */
export function mayEnter(walk: Walk): boolean {
  if (walk.stopped !== undefined || hasEnough(walk)) return false;
  if (walk.depth >= maxDepth)
    return stop(walk, `is nested or refers to itself more than ${maxDepth} levels deep`);
  return spend(walk, 1);
}

export function hasEnough(walk: Walk): boolean {
  return walk.failures !== undefined && walk.failures.length >= maxFailures;
}

/** False once the work is used up. */
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

/** Call it when a pause is due. */
export async function takePause(walk: Walk): Promise<void> {
  await walk.pause?.();
  walk.sliceLeft = stepsInSlice;
}

/** Visits of the pattern matcher have a budget of their own; they count for the slice all the same. */
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

/** Something could not be checked, and so passes. */
export function warn(walk: Walk, text: string): true {
  if (walk.warnings.size < maxWarnings) walk.warnings.add(text);
  return true;
}

/** Notes what was expected here; the text is made only when it will be read. */
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

/** Writing a message may look at hundreds of alternatives, so the event loop gets its turn before the next one. */
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

/** Whether a value passes, without a word about why not. */
export function passes(walk: Walk, schema: unknown, value: unknown): Verdict {
  const kept = walk.failures;
  walk.failures = undefined;
  const passed = walk.check(schema, value);
  if (passed instanceof Promise) return passed.finally(() => (walk.failures = kept));
  walk.failures = kept;
  return passed;
}

/** The names of a value's own fields. Charges for reading them. */
export function namesOf(value: object, walk: Walk): readonly string[] {
  const names = Object.keys(value);
  spend(walk, names.length / namesInStep);
  return names;
}

/** The names in a part of a schema. */
export function schemaNamesOf(schema: JsonObject, walk: Walk): readonly string[] {
  return schemaNames(schema, (names) => spend(walk, names / namesInStep));
}
