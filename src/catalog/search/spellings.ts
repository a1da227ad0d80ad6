/** Finds the words of an index that a word of a query may mean, and how likely each one is. */

import { isWithin, letterBits, mayBeWithin } from './spelling.ts';
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
