/**
 * Finds whitespace and invisible characters at the ends of a name. Two names that differ only in these look
 * the same.
 */

import { escapeLine, showCharacter } from './escape-text.ts';
import { onFirstUse } from './on-first-use.ts';

/** U+2800 and U+1D159 are symbols in Unicode, but fonts draw them as empty space. */
const blank = onFirstUse(
  () =>
    /^[\s\p{Z}\u2800\u{1d159}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]$/u,
);
const pictograph = onFirstUse(() => /[\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}]$/u);
const plainEnds = /^[!-~](?:.*[!-~])?$/s;

/** Returns the text without invisible characters at its start and end. */
export function trimBlanks(text: string): string {
  const { start, end } = visiblePart(text);
  return text.slice(start, end);
}

export function hasEdgeBlanks(text: string): boolean {
  return trimBlanks(text) !== text;
}

/**
 * Returns the text with its leading and trailing blanks, and all hidden characters inside, shown as
 * `⟨U+00A0⟩`.
 */
export function showEdgeBlanks(text: string): string {
  const { start, end } = visiblePart(text);
  return showAll(text.slice(0, start)) + escapeLine(text.slice(start, end)) + showAll(text.slice(end));
}

function showAll(text: string): string {
  return Array.from(text, showCharacter).join('');
}

/**
 * Walks inwards from both ends, because a pattern that ends in `+$` takes quadratic time on long runs of
 * blanks.
 */
function visiblePart(text: string): { readonly start: number; readonly end: number } {
  if (plainEnds.test(text)) return { start: 0, end: text.length };
  let start = 0;
  while (start < text.length) {
    const character = characterAt(text, start);
    if (!blank().test(character)) break;
    start += character.length;
  }
  let end = text.length;
  while (end > start) {
    const character = characterBefore(text, end);
    if (!blank().test(character)) break;
    end -= character.length;
  }
  // The variation selector after an emoji belongs to it.
  const isStyled = /[\ufe0e\ufe0f]/.test(text.charAt(end)) && pictograph().test(text.slice(start, end));
  return { start, end: isStyled ? end + 1 : end };
}

function characterAt(text: string, index: number): string {
  return String.fromCodePoint(text.codePointAt(index) ?? 0);
}

function characterBefore(text: string, end: number): string {
  const pair = text.slice(Math.max(0, end - 2), end);
  return Array.from(pair).at(-1) ?? '';
}
