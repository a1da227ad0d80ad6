/**
 * Whether JSON values are equal: two of them, or any two of a list (`uniqueItems`, in time linear in the
 * list). Iterative and within the walk's limits, so that any value can be compared.
 */

import { createHash, type Hash, randomInt } from 'node:crypto';

import { isList } from '../../kernel/json.ts';
import { after, type Later, runSteps, type Steps } from './maybe-promise.ts';
import {
  every,
  fail,
  isDue,
  type Keyword,
  mayEnter,
  namesOf,
  some,
  spend,
  takePause,
  type Verdict,
  type Walk,
} from './walk.ts';

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

export interface ValueKey {
  readonly text: string;
  /** False for a digest: values with equal digests still have to be compared. */
  readonly isExact: boolean;
}

/** Longer keys are hashed, in pieces of this size. */
const maxText = 4096;
const charactersInStep = 128;
const valuesInStep = 4;

export function valueKeyOf(value: unknown, walk: Walk): Later<ValueKey> {
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
  const key = new KeyWriter();
  const open: Open[] = [];
  yield* writeOne(value, { key, open, walk });
  for (let here = open.at(-1); here !== undefined; here = open.at(-1)) {
    if (isDue(walk)) yield takePause(walk);
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
      if (isDue(walk)) yield takePause(walk);
      key.write(value.slice(at, at + maxText));
    }
  }
}

class KeyWriter {
  #text = '';
  #hash: Hash | undefined;

  write(text: string): void {
    this.#text += text;
    if (this.#text.length > maxText) this.#flush();
  }

  end(): ValueKey {
    if (this.#hash === undefined) return { text: this.#text, isExact: true };
    this.#flush();
    return { text: this.#hash.digest('base64'), isExact: false };
  }

  #flush(): void {
    this.#hash ??= createHash('sha256');
    // UTF-8 would encode all lone surrogates alike.
    this.#hash.update(this.#text, 'utf16le');
    this.#text = '';
  }
}

/**
 * Items by key. Items whose key is a digest are stored, to compare them with others that have the same
 * digest.
 */
interface Seen {
  /** Numbers and strings are their own keys. */
  readonly plain: KeySet;
  readonly exact: KeySet;
  readonly byDigest: Map<string, unknown[]>;
}

export const uniqueItems: Keyword = (operand, value, _schema, walk) => {
  if (operand !== true || !isList(value) || value.length < 2) return true;
  const seen: Seen = { plain: new KeySet(), exact: new KeySet(), byDigest: new Map() };
  const unique = every(value, walk, (item) =>
    isOwnKey(item)
      ? seen.plain.add(item)
      : after(valueKeyOf(item, walk), (key) => addItem(item, key, seen, walk)),
  );
  return after(unique, (passed) => passed || fail(walk, () => 'a list without repetitions'));
};

/** Longer strings get a key like other values, which charges for their length. */
const maxOwnKey = 100;

function isOwnKey(item: unknown): item is string | number {
  return typeof item === 'string' ? item.length <= maxOwnKey : typeof item === 'number';
}

/** False when an equal item was seen before. */
function addItem(item: unknown, key: ValueKey, { exact, byDigest }: Seen, walk: Walk): Verdict {
  if (key.isExact) return exact.add(key.text);
  const alike = byDigest.get(key.text) ?? [];
  return after(
    some(alike, walk, (other) => sameJson(other, item, walk)),
    (isRepeated) => {
      byDigest.set(key.text, [...alike, item]);
      return !isRepeated;
    },
  );
}

const setCount = 256;
const charactersMixed = 32;

/** Uses many small sets, because a Set with a million keys blocks the event loop whenever it grows. */
class KeySet {
  /** Random, so that a server cannot choose items that all end up in one set. */
  readonly #salt = randomInt(0x7f_ff_ff_ff) | 1;
  readonly #sets: (Set<string | number> | undefined)[] = [];

  /** Returns false when the key was added before. */
  add(key: string | number): boolean {
    const at = typeof key === 'number' ? this.#placeOfNumber(key) : this.#placeOfText(key);
    const set = (this.#sets[at] ??= new Set());
    const { size } = set;
    return set.add(key).size > size;
  }

  #placeOfText(key: string): number {
    let mixed = this.#salt;
    for (let at = Math.max(0, key.length - charactersMixed); at < key.length; at += 1)
      mixed = this.#mix(mixed, key.charCodeAt(at));
    return (mixed >>> 8) % setCount;
  }

  #placeOfNumber(key: number): number {
    // Mixes both halves of a large number, and the fraction of a small one.
    const mixed = this.#mix(this.#mix(this.#salt, key), Math.trunc(key / 0x1_00_00_00_00));
    return (this.#mix(mixed, (key % 1) * 0x40_00_00_00) >>> 8) % setCount;
  }

  #mix(mixed: number, part: number): number {
    return Math.imul(mixed ^ part, this.#salt) ^ (mixed >>> 15);
  }
}
