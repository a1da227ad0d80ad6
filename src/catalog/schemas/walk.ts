/**
 * The state of one check: the current path, the failures, and the remaining work; and the loops that charge
 * for what they do. The schema comes from a server, so the work is limited: when the budget is used up the
 * walk stops, everything counts as passed, and `stopped` has the reason. Work is measured in steps of about a
 * microsecond each.
 */

import type { MaybePromise } from '../../kernel/type-tools.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { schemaNames } from './schema-parts.ts';

/** Enough for any tool seen so far by a factor of a hundred; some tens of milliseconds at worst. */
const freeSteps = 20_000;

/** Large arguments need more: this many steps for each value in them. */
const stepsPerValue = 10;

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
export type Verdict = MaybePromise<boolean>;

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

export function createWalk(root: unknown, countMore: CountMore, check: Check, pause?: Pause): Walk {
  const walk: Walk = {
    path: [],
    scope: [typeof root === 'object' && root !== null ? (root as JsonObject) : {}], // never a list
    failures: undefined,
    depth: 0,
    stepsLeft: freeSteps,
    sliceLeft: stepsInSlice,
    pause,
    countMore,
    stopped: undefined,
    warnings: new Set(),
    matching: { left: 150_000, pace: (visits) => pace(walk, visits) },
    check: (schema, value) => check(schema, value, walk),
  };
  return walk;
}

/** Whether the walk may go one level deeper. Charges one step; the caller updates `depth`. */
export function mayEnter(walk: Walk): boolean {
  if (walk.stopped !== undefined || hasEnoughFailures(walk)) return false;
  if (walk.depth >= maxDepth)
    return stop(walk, `is nested or refers to itself more than ${maxDepth} levels deep`);
  return spend(walk, 1);
}

export function hasEnoughFailures(walk: Walk): boolean {
  return walk.failures !== undefined && walk.failures.length >= maxFailures;
}

/** Charges for work. Returns false once the budget is used up. */
export function spend(walk: Walk, steps: number): boolean {
  walk.stepsLeft -= steps;
  walk.sliceLeft -= steps;
  if (walk.stepsLeft >= 0 && walk.stopped === undefined) return true;
  return walk.stopped === undefined && (extendBudget(walk) || stop(walk, 'takes too much work to check'));
}

function extendBudget(walk: Walk): boolean {
  while (walk.stepsLeft < 0) {
    const counted = walk.countMore(valuesAtATime);
    if (counted === 0) return false;
    walk.stepsLeft += stepsPerValue * counted;
  }
  return true;
}

export function isPauseDue(walk: Walk): boolean {
  return walk.sliceLeft < 0 && walk.pause !== undefined;
}

/** Call this when `isPauseDue` returns true. */
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
  return isPauseDue(walk) ? takePause(walk) : undefined;
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
  if (failures === undefined || hasEnoughFailures(walk)) return false;
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
  const collected = walk.failures;
  walk.failures = undefined;
  const passed = walk.check(schema, value);
  if (passed instanceof Promise) return passed.finally(() => (walk.failures = collected));
  walk.failures = collected;
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

/** Counts about `atLeast` more values and returns how many were found; 0 when none are left. */
export type CountMore = (atLeast: number) => number;

const maxLength = 200;

export function pathText(path: readonly (string | number)[]): string {
  if (path.length === 0) return '(root)';
  let text = '';
  for (const part of path) {
    // Escape only the part of a long name that is shown.
    const key = typeof part === 'number' ? part : part.slice(0, maxLength + 1);
    if (typeof key === 'number') text += `[${key}]`;
    else if (!/^[\p{L}\p{N}_$-]+$/u.test(key)) text += `[${JSON.stringify(key)}]`;
    else text += text === '' ? key : `.${key}`;
    if (text.length > maxLength) return `${text.slice(0, maxLength)}…`;
  }
  return text;
}
