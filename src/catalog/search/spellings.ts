/**
 * Finds the words of an index that a word of a query may mean, and how likely each one is. A typing error is
 * a letter too many, too few, wrong, or two in the wrong order.
 */

import { stemOf } from './words.ts';

export interface Meaning {
  /** Index of the word in the sorted list. */
  readonly at: number;
  readonly weight: number;
}

export type FindMeanings = (word: string) => readonly Meaning[];

const prefixWeight = 0.8;
const stemWeight = 0.85;
const typoWeight = 0.6;

export function createSpellings(words: readonly string[]): FindMeanings {
  const bits = Int32Array.from(words, letterBits);

  const beginningWith = (prefix: string, weight: number): readonly Meaning[] => {
    const found: Meaning[] = [];
    for (let at = firstNotBefore(words, prefix); words[at]?.startsWith(prefix) === true; at += 1) {
      const length = words[at]?.length ?? 1;
      // The more of a word was typed, the more likely it is meant.
      found.push({ at, weight: length === prefix.length ? 1 : weight * (prefix.length / length) });
    }
    return found;
  };

  const misspelled = (word: string): readonly Meaning[] => {
    const most = word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
    if (most === 0) return [];
    const own = letterBits(word);
    const found: Meaning[] = [];
    for (let at = 0; at < words.length; at += 1) {
      const other = words[at] ?? '';
      if (Math.abs(other.length - word.length) > most || !mayBeWithin(own, bits[at] ?? 0, most)) continue;
      if (isWithin(word, other, most)) found.push({ at, weight: typoWeight });
    }
    return found;
  };

  return (word) => {
    // A single letter is a prefix of too many words.
    const typed =
      word.length === 1
        ? beginningWith(word, 0).filter(({ weight }) => weight > 0)
        : beginningWith(word, prefixWeight);
    const stem = stemOf(word);
    const related =
      stem === word || stem.length < 3 ? [] : beginningWith(stem, stemWeight).map(atMost(stemWeight));
    const found = [...typed, ...related];
    return found.length === 0 ? misspelled(word) : found;
  };
}

function atMost(most: number): (meaning: Meaning) => Meaning {
  return ({ at, weight }) => ({ at, weight: Math.min(weight, most) });
}

function firstNotBefore(words: readonly string[], wanted: string): number {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((words[middle] ?? '') < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether at most `most` errors (1 or 2) turn one word into the other. */
export function isWithin(left: string, right: string, most: number): boolean {
  if (Math.abs(left.length - right.length) > most) return false;
  let before: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let row = 1; row <= left.length; row += 1) {
    const now = [row];
    let least = row;
    for (let column = 1; column <= right.length; column += 1) {
      const cost = stepCost({ left, right, row, column }, before, last, now);
      now.push(cost);
      if (cost < least) least = cost;
    }
    if (least > most) return false;
    before = last;
    last = now;
  }
  return (last[right.length] ?? most + 1) <= most;
}

interface Step {
  readonly left: string;
  readonly right: string;
  readonly row: number;
  readonly column: number;
}

function stepCost(
  { left, right, row, column }: Step,
  before: readonly number[],
  last: readonly number[],
  now: readonly number[],
): number {
  const a = left[row - 1];
  const b = right[column - 1];
  const far = Number.MAX_SAFE_INTEGER;
  const changed = (last[column - 1] ?? far) + (a === b ? 0 : 1);
  const best = Math.min(changed, (last[column] ?? far) + 1, (now[column - 1] ?? far) + 1);
  const isSwapped = row > 1 && column > 1 && a === right[column - 2] && left[row - 2] === b;
  return isSwapped ? Math.min(best, (before[column - 2] ?? far) + 1) : best;
}

/** One bit per letter, so that two words with few errors between them have nearly the same bits. */
export function letterBits(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at += 1) bits |= 1 << (word.charCodeAt(at) & 31);
  return bits;
}

/** A cheap test before `isWithin`: every error changes at most two bits. */
export function mayBeWithin(left: number, right: number, most: number): boolean {
  let differing = left ^ right;
  for (let count = 0; differing !== 0; count += 1) {
    if (count === most * 2) return false;
    differing &= differing - 1;
  }
  return true;
}
