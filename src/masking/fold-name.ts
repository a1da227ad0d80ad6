/**
 * Maps names that look alike to the same form, ignoring case, width, accents, invisible characters and
 * confusable characters. Only for comparisons: to deny a name, or to detect that users would confuse two
 * names. Different ASCII characters are never folded together, except for case.
 */

import { onFirstUse } from './on-first-use.ts';

/**
 * For each ASCII character, lookalikes from other scripts that have no ASCII compatibility form. Three Greek
 * capitals look like a different letter than their lower-case forms, so they are folded by their own shape.
 */
const twins: Readonly<Record<string, string>> = {
  a: 'аɑαᴀ⍺Ꭺ',
  b: 'ƅьʙвβᏏᏴᖯ',
  c: 'сϲᴄⲥᏟ',
  d: 'ԁᏧᑯꓒᎠᗞ',
  e: 'еҽ℮ꬲᎬεɛ',
  f: 'ꬵꞙϝғƒ',
  g: 'ɡᶃցԍᏀ',
  h: 'һհнᏂᎻΗ',
  i: 'іιıɩɪⲓꙇᎥӏǀ∣',
  j: 'јϳյᎫ',
  k: 'кκᴋⲕᏦ',
  l: 'ℓⵏʟԼլᏞ',
  m: 'мμᴍᎷ',
  n: 'ոռпᴎηΝ',
  o: 'оοօσסഠ၀ჿ०০੦૦௦౦೦ᴏᴑⲟ〇ⵔ',
  p: 'рρϱⲣᏢ',
  q: 'ԛգզ',
  r: 'гᴦⲅꭇꭈʀᏒ',
  s: 'ѕƽꜱᏚ',
  t: 'тτᴛⲧᎢ',
  u: 'սυʋᴜꞟ',
  v: 'ѵνᴠᏙᏤ',
  w: 'ѡԝաᴡωᏔᏳ',
  x: 'хχⲭ᙮',
  y: 'уγүყɣʏᎩΥ',
  z: 'ᴢζᏃ',
  '-': '‐‒–—―−⁃˗➖',
  _: 'ˍ‗ߺ',
  '.': '‧·。᛫・܁܂٠',
  '/': '⁄∕⧸╱⟋丿ノ',
  '\\': '⧵∖⧹╲',
  ':': '∶꞉ːꓽ׃܃܄᛬',
  "'": '‘’‚‛′ʹʻʼʽˈ',
  '"': '“”„‟″',
  '!': 'ǃⵑ',
};

const foldOf = onFirstUse(
  (): ReadonlyMap<string, string> =>
    new Map(
      Object.entries(twins).flatMap(([plain, others]) =>
        Array.from(others, (other) => [other, plain] as const),
      ),
    ),
);

const plain = /^[ -~]*$/;
/** Accents, and characters without a visible shape. */
const unseen = onFirstUse(
  () => /[\p{M}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu,
);
const strange = /[^\0-\u007f]/gu;

export function foldName(text: string): string {
  // Fast path: most names are plain ASCII.
  if (plain.test(text)) return text.toLowerCase();
  return foldOnce(foldOnce(text));
}

/**
 * Folding is applied twice to be idempotent: the first pass may produce characters that the second still has
 * to fold.
 */
function foldOnce(text: string): string {
  return (
    lower(
      text
        .normalize('NFKD')
        .replaceAll(unseen(), '')
        .replaceAll(/[\u0397\u039d\u03a5]/g, toTwin),
    )
      // Lower-casing may produce new accents.
      .normalize('NFKD')
      .replaceAll(unseen(), '')
      .replaceAll(strange, toTwin)
  );
}

function toTwin(character: string): string {
  return foldOf().get(character) ?? character;
}

/** Goes through upper case, so that letters with several lower-case forms match: ß and ss, ς and σ. */
function lower(text: string): string {
  return text.toUpperCase().toLowerCase();
}
