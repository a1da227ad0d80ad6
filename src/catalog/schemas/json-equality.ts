/**
 * Whether two JSON values are equal, and a string for each value that is the same for equal ones: the order of
 * an object's keys does not matter, and 1.0 is 1. Iterative and within the walk's limits.
 */

import { createHash, type Hash } from 'node:crypto';

import { isList } from '../../kernel/json.ts';
import type { MaybePromise } from '../../kernel/type-tools.ts';
import { runSteps, type Steps } from './loops.ts';
import { isPauseDue, mayEnter, namesOf, spend, takePause, type Verdict, type Walk } from './walk.ts';

/** Comparing two strings of the same length costs one step for this many characters. */
const charactersComparedInStep = 1024;

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
    spend(walk, left.length / charactersComparedInStep);
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
    if (isPauseDue(walk)) yield takePause(walk);
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

export interface ValueKey {
  readonly text: string;
  /** False for a digest: values with equal digests still have to be compared. */
  readonly isExact: boolean;
}

/** Longer keys are hashed, in pieces of this size. */
const maxText = 4096;

const charactersInStep = 128;

const valuesInStep = 4;

export function valueKeyOf(value: unknown, walk: Walk): MaybePromise<ValueKey> {
  const isShort =
    typeof value === 'string' ? value.length <= maxText : typeof value !== 'object' || value === null;
  return isShort ? { text: shortText(value, walk), isExact: true } : runSteps(keySteps(value, walk));
}

/** The prefix keeps engines from treating the key as an array index, whose hash is predictable. */
function shortText(value: unknown, walk: Walk): string {
  if (typeof value === 'number' || typeof value === 'boolean') return `#${value}`;
  if (typeof value !== 'string') return value === null ? '#null' : `#${typeof value}`;
  spend(walk, value.length / charactersInStep);
  return JSON.stringify(value);
}

interface Open {
  readonly holder: object;
  /** Sorted; undefined for a list. */
  readonly names: readonly string[] | undefined;
  readonly size: number;
  at: number;
}

function* keySteps(value: unknown, walk: Walk): Steps<ValueKey> {
  const key = createKeyWriter();
  const open: Open[] = [];
  yield* writeOne(value, { key, open, walk });
  for (let here = open.at(-1); here !== undefined; here = open.at(-1)) {
    if (isPauseDue(walk)) yield takePause(walk);
    if (here.at >= here.size) {
      key.write(here.names === undefined ? ']' : '}');
      open.pop();
      continue;
    }
    const name = here.names?.[here.at];
    if (name !== undefined) yield* writeOne(name, { key, open, walk });
    const inner: unknown = Reflect.get(here.holder, name ?? here.at);
    here.at += 1;
    yield* writeOne(inner, { key, open, walk });
    key.write(',');
  }
  return key.end();
}

interface Writing {
  readonly key: KeyWriter;
  readonly open: Open[];
  readonly walk: Walk;
}

/** Writes a plain value, or the beginning of a list or an object. */
function* writeOne(value: unknown, { key, open, walk }: Writing): Steps<void> {
  spend(walk, 1 / valuesInStep);
  if (isList(value)) {
    key.write('[');
    open.push({ holder: value, names: undefined, size: value.length, at: 0 });
  } else if (typeof value === 'object' && value !== null) {
    key.write('{');
    const names = namesOf(value, walk).toSorted();
    spend(walk, names.length / valuesInStep);
    open.push({ holder: value, names, size: names.length, at: 0 });
  } else if (typeof value !== 'string' || value.length <= maxText) {
    key.write(shortText(value, walk));
  } else {
    key.write(`${value.length}:`);
    for (let at = 0; at < value.length; at += maxText) {
      spend(walk, maxText / charactersInStep);
      if (isPauseDue(walk)) yield takePause(walk);
      key.write(value.slice(at, at + maxText));
    }
  }
}

interface KeyWriter {
  write(text: string): void;
  end(): ValueKey;
}

function createKeyWriter(): KeyWriter {
  let pending = '';
  let hash: Hash | undefined;
  const flush = (): Hash => {
    hash ??= createHash('sha256');
    // UTF-8 would encode all lone surrogates alike.
    hash.update(pending, 'utf16le');
    pending = '';
    return hash;
  };
  return {
    write: (text) => {
      pending += text;
      if (pending.length > maxText) flush();
    },
    end: () =>
      hash === undefined
        ? { text: pending, isExact: true }
        : { text: flush().digest('base64'), isExact: false },
  };
}
