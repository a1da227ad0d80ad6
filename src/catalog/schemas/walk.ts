/**
 * The state of one check: where we are, what failed, and how much work is left. A server writes the schema, so the
 * work is bounded: when it runs out the walk stops, everything counts as passed, and the reason is kept.
 */

import type { JsonObject } from '../tool-info.ts';
import type { Target } from './references.ts';
import { countValues } from './count-values.ts';
import { pathText } from './path-text.ts';
import type { Allowance } from './linear-pattern.ts';

/** Enough for any tool seen so far by a factor of a hundred; some tens of milliseconds at worst. */
const freeSteps = 20_000;
/** Large arguments need more: this much for each value in them. */
const stepsForEach = 10;
/** Schemas nested or referring deeper than this are not followed. Keeps clear of the stack's end. */
const maxDepth = 256;
const maxFailures = 20;
const maxWarnings = 5;

export interface Failure {
  readonly path: string;
  readonly expected: string;
}

export interface Walk {
  readonly path: (string | number)[];
  /** The schema documents we are inside of, outermost first: references are read from the last. */
  readonly scope: JsonObject[];
  /** Collected only when somebody will read them; until then the first failure ends the check. */
  failures: Failure[] | undefined;
  depth: number;
  stepsLeft: number;
  /** Set when the walk gave up. */
  stopped: string | undefined;
  /** Keywords that were passed over. */
  readonly warnings: Set<string>;
  /** For matching patterns; about 20 ms at worst. */
  readonly matching: Allowance;
  /** Where references led before, by document and text. */
  readonly targets: Map<JsonObject, Map<string, Target | undefined>>;
  readonly check: (schema: unknown, value: unknown) => boolean;
}

export type Check = (schema: unknown, value: unknown, walk: Walk) => boolean;

export function createWalk(root: unknown, given: unknown, check: Check): Walk {
  const walk: Walk = {
    path: [],
    scope: [typeof root === 'object' && root !== null ? (root as JsonObject) : {}], // lists never get here as schemas
    failures: undefined,
    depth: 0,
    stepsLeft: freeSteps + stepsForEach * countValues(given),
    stopped: undefined,
    warnings: new Set(),
    matching: { left: 150_000 },
    targets: new Map(),
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

function hasEnough(walk: Walk): boolean {
  return walk.failures !== undefined && walk.failures.length >= maxFailures;
}

export function spend(walk: Walk, steps: number): boolean {
  walk.stepsLeft -= steps;
  return walk.stepsLeft >= 0 || stop(walk, 'takes too much work to check');
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
  if (walk.failures !== undefined && !hasEnough(walk)) {
    walk.failures.push({ path: pathText(walk.path), expected: expected() });
  }
  return false;
}

export function checkAt(walk: Walk, key: string | number, schema: unknown, value: unknown): boolean {
  walk.path.push(key);
  const passed = walk.check(schema, value);
  walk.path.pop();
  return passed;
}

/** Whether a value passes, without a word about why not. */
export function passes(walk: Walk, schema: unknown, value: unknown): boolean {
  const kept = walk.failures;
  walk.failures = undefined;
  const passed = walk.check(schema, value);
  walk.failures = kept;
  return passed;
}
