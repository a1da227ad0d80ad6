/**
 * Escapes text for questions where a single letter matters, such as what would run or where a secret would
 * go. Besides everything that `escapeLine` shows, it shows characters that look like ASCII. Words entirely in
 * another script stay readable.
 */

import { escapeLine, showCharacter } from './escape-text.ts';
import { onFirstUse } from './on-first-use.ts';

/** Letters that look like ASCII letters: Cyrillic, Greek, Armenian and some additional Latin ones. */
const twinLetters = new Set('асеорхуіјѕһԁԛԝӏАВЕКМНОРСТУХІЈЅԌԚԜҮѵѴοαικνρτυχγΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսոհցքՕՍԼɑɡıℓ');
/** In a word with ASCII letters, any letter of these scripts is suspicious. */
const nearScript = onFirstUse(
  () => /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u,
);
/**
 * Characters that look like ASCII punctuation but have no ASCII compatibility form: hyphens, quotes, slashes,
 * dots, colons.
 */
const twinMarks = new Set('‐‒–—―−‘’‚‛“”„‟′″⁄∕⧸╱⧵∖∶꞉ː․‧·‗ǃ｡');
const word = onFirstUse(() => /[\p{L}\p{M}\p{N}]+/gu);
const asciiLetter = /[A-Za-z]/;

export function escapeLookalikes(text: string): string {
  // Fast path: most text is plain ASCII.
  if (/^[ -~]*$/.test(text)) return text;
  return escapeLine(text.replaceAll(word(), showTwinLetters).replaceAll(/[^\0-\u007f]/gu, showTwinMark));
}

/** A lookalike letter deceives next to ASCII letters, or in a word made up entirely of lookalikes. */
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

/** Fullwidth and mathematical letters, unusual spaces and ligatures have an ASCII compatibility form. */
function isAscii(text: string): boolean {
  return /^[ -~]+$/.test(text);
}
