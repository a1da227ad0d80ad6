/** `uniqueItems`, in time linear in the list. */

import { randomInt } from 'node:crypto';

import { isList } from '../../kernel/json.ts';
import { sameJson, type ValueKey, valueKeyOf } from './json-equality.ts';
import { chain, every, some } from './loops.ts';
import { fail, type Keyword, type Verdict, type Walk } from './walk.ts';

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
  const seen: Seen = { plain: createKeySet(), exact: createKeySet(), byDigest: new Map() };
  const unique = every(value, walk, (item) =>
    isOwnKey(item)
      ? seen.plain.add(item)
      : chain(valueKeyOf(item, walk), (key) => addItem(item, key, seen, walk)),
  );
  return chain(unique, (passed) => passed || fail(walk, () => 'a list without repetitions'));
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
  return chain(
    some(alike, walk, (other) => sameJson(other, item, walk)),
    (isRepeated) => {
      byDigest.set(key.text, [...alike, item]);
      return !isRepeated;
    },
  );
}

const setCount = 256;

const charactersMixed = 32;

interface KeySet {
  /** Returns false when the key was added before. */
  add(key: string | number): boolean;
}

/** Uses many small sets, because a Set with a million keys blocks the event loop whenever it grows. */
function createKeySet(): KeySet {
  // Random, so that a server cannot choose items that all end up in one set.
  const salt = randomInt(0x7f_ff_ff_ff) | 1;
  const sets: (Set<string | number> | undefined)[] = [];
  const mix = (mixed: number, part: number): number => Math.imul(mixed ^ part, salt) ^ (mixed >>> 15);
  const indexOfText = (key: string): number => {
    let mixed = salt;
    for (let at = Math.max(0, key.length - charactersMixed); at < key.length; at += 1)
      mixed = mix(mixed, key.charCodeAt(at));
    return (mixed >>> 8) % setCount;
  };
  const indexOfNumber = (key: number): number => {
    // Mixes both halves of a large number, and the fraction of a small one.
    const mixed = mix(mix(salt, key), Math.trunc(key / 0x1_00_00_00_00));
    return (mix(mixed, (key % 1) * 0x40_00_00_00) >>> 8) % setCount;
  };
  return {
    add: (key) => {
      const at = typeof key === 'number' ? indexOfNumber(key) : indexOfText(key);
      const set = (sets[at] ??= new Set());
      const { size } = set;
      return set.add(key).size > size;
    },
  };
}
