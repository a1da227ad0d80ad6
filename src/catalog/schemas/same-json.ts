/** Compares two JSON values, within the walk's limits. */

import { isList } from '../../kernel/json.ts';
import { runSteps, type Steps } from './later.ts';
import { isDue, mayEnter, namesOf, spend, takePause, type Verdict, type Walk } from './walk.ts';

/** Comparing two strings of the same length costs one step for this many characters. */
const charactersInStep = 1024;
/** Comparing this many pairs of values costs one step. */
const pairsInStep = 8;

export function sameJson(left: unknown, right: unknown, walk: Walk): Verdict {
  return isPlain(left) || isPlain(right)
    ? samePlain(left, right, walk)
    : runSteps(compareDeep(left, right, walk));
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function samePlain(left: unknown, right: unknown, walk: Walk): boolean {
  if (typeof left === 'string' && typeof right === 'string' && left.length === right.length)
    spend(walk, left.length / charactersInStep);
  return left === right;
}

/** Two containers of the same size, and how far they have been compared. */
interface Pair {
  readonly left: object;
  readonly right: object;
  /** The names of an object; undefined for lists. */
  readonly names: readonly string[] | undefined;
  readonly size: number;
  at: number;
}

function* compareDeep(left: unknown, right: unknown, walk: Walk): Steps<boolean> {
  const depth = walk.depth;
  const open: Pair[] = [];
  let same = openPair(left, right, open, walk);
  for (let pair = open.at(-1); same && pair !== undefined; pair = open.at(-1)) {
    if (isDue(walk)) yield takePause(walk);
    if (pair.at >= pair.size) {
      open.pop();
      continue;
    }
    const key = pair.names?.[pair.at] ?? pair.at;
    pair.at += 1;
    walk.depth = depth + open.length;
    same =
      spend(walk, 1 / pairsInStep) &&
      Object.hasOwn(pair.right, key) &&
      openPair(Reflect.get(pair.left, key), Reflect.get(pair.right, key), open, walk);
  }
  walk.depth = depth;
  return same;
}

/** Returns false when the two differ in type or size. Their contents are compared later. */
function openPair(left: unknown, right: unknown, open: Pair[], walk: Walk): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null)
    return samePlain(left, right, walk);
  if (!mayEnter(walk)) return false;
  if (isList(left) !== isList(right)) return false;
  if (isList(left) && isList(right)) {
    open.push({ left, right, names: undefined, size: left.length, at: 0 });
    return left.length === right.length;
  }
  const names = namesOf(left, walk);
  open.push({ left, right, names, size: names.length, at: 0 });
  return names.length === namesOf(right, walk).length;
}
