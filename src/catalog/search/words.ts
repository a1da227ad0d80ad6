/**
 * Splits names and texts into words: `createIssue`, `create_issue` and "Create an issue" have words in
 * common.
 */

import { onFirstUse } from '../../masking/on-first-use.ts';

const beyondAscii = /[\u0080-\uffff]/;
const humpedWord = /[a-z0-9][A-Z]/;
const asciiWord = /[a-z0-9]+/g;
const anyWord = onFirstUse(() => /[\p{L}\p{N}]+/gu);
/** Scripts that put no space between words. */
const unspaced = onFirstUse(() => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u);
const maxWord = 40;

export function wordsIn(text: string): readonly string[] {
  if (text === '') return [];
  const apart = humpedWord.test(text) ? text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2') : text;
  if (!beyondAscii.test(apart)) return apart.toLowerCase().match(asciiWord) ?? [];
  const folded = apart.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return (folded.match(anyWord()) ?? []).flatMap((word) =>
    unspaced().test(word) ? letterPairs(word) : [word],
  );
}

function letterPairs(word: string): readonly string[] {
  const letters = Array.from(word);
  return letters.length < 2 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}

/** Returns the words of a query without duplicates. Stop words count only when there is nothing else. */
export function queryWords(query: string, most: number): readonly string[] {
  const words = [...new Set(wordsIn(query.slice(0, 1000)).map((word) => word.slice(0, maxWord)))];
  const telling = words.filter((word) => !littleWords.has(word));
  return (telling.length === 0 ? words : telling).slice(0, most);
}

const littleWords = new Set(
  'a an and are as at be by can do for from how i in into is it its me my of on or so that the this to tool tools using want what which with you'.split(
    ' ',
  ),
);

/** Removes common English endings. Returns the word itself when it has none. */
export function stemOf(word: string): string {
  if (word.length > 5 && word.endsWith('ing')) return word.slice(0, -3);
  if (word.length > 4 && word.endsWith('ies')) return word.slice(0, -3);
  if (word.length > 4 && (word.endsWith('es') || word.endsWith('ed'))) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  return word;
}
