/**
 * For questions where one letter decides (what would run, where a secret would go): shows, besides all that
 * escapeLine shows, characters that pass for ASCII ones. Words that are plainly of another script stay readable.
 */

import { escapeLine, showCharacter } from './escape-text.ts';
import { onFirstUse } from './on-first-use.ts';

/** Letters drawn like ASCII ones: Cyrillic, Greek, Armenian, a few Latin extras. */
const twinLetters = new Set('асеорхуіјѕһԁԛԝӏАВЕКМНОРСТУХІЈЅԌԚԜҮѵѴοαικνρτυχγΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսոհցքՕՍԼɑɡıℓ');
/** Beside ASCII letters any letter of these scripts is suspect. */
const nearScript = onFirstUse(
  () => /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u,
);
/** Marks drawn like ASCII ones that compatibility forms do not reveal: hyphens, quotes, slashes, dots, colons. */
const twinMarks = new Set('‐‒–—―−‘’‚‛“”„‟′″⁄∕⧸╱⧵∖∶꞉ː․‧·‗ǃ｡');
const word = onFirstUse(() => /[\p{L}\p{M}\p{N}]+/gu);
const asciiLetter = /[A-Za-z]/;

export function escapeLookalikes(text: string): string {
  // Plain text is by far the most common.
  if (/^[ -~]*$/.test(text)) return text;
  return escapeLine(text.replaceAll(word(), showTwinLetters).replaceAll(/[^\0-\u007f]/gu, showTwinMark));
}

/** A twin letter deceives beside ASCII ones, or in a word made of nothing but twins. */
function showTwinLetters(found: string): string {
  const isMixed = asciiLetter.test(found);
  const isAllTwins = Array.from(found).every((letter) => twinLetters.has(letter) || /\p{N}/u.test(letter));
  if (!isMixed && !isAllTwins) return found;
  return Array.from(found, (letter) =>
    twinLetters.has(letter) || nearScript().test(letter) ? showCharacter(letter) : letter,
  ).join('');
}

function showTwinMark(character: string): string {
  const isTwin = twinMarks.has(character) || isAscii(character.normalize('NFKC'));
  return isTwin ? showCharacter(character) : character;
}

/** Fullwidth and mathematical letters, odd spaces and ligatures have ASCII as their compatibility form. */
function isAscii(text: string): boolean {
  return /^[ -~]+$/.test(text);
}
