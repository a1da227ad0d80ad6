/** `uniqueItems`, in time linear in the list. */

import { randomInt } from 'node:crypto';

import { isList } from '../../kernel/json.ts';
import { after } from './later.ts';
import { every, some } from './loops.ts';
import { sameJson } from './same-json.ts';
import { valueKeyOf, type ValueKey } from './value-key.ts';
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
