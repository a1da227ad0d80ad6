/**
 * One form for all names that look alike: case, width, accents, invisible and confusable characters do not count in it.
 * For comparing only: who wants to deny a name, or to see that two names would be taken for each other, compares folds.
 * ASCII characters are never folded into each other, except by case.
 */

import { onFirstUse } from './on-first-use.ts';

/**
 * Per ASCII character, those of other scripts that are drawn like it and that compatibility forms do not reveal. Three
 * Greek capitals pass for another letter than their small forms do: they are folded by their own shape.
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
/** Accents, and whatever has no shape of its own. */
const unseen = onFirstUse(
  () => /[\p{M}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu,
);
const strange = /[^\0-\u007f]/gu;

export function foldName(text: string): string {
  // Plain names are by far the most common.
  if (plain.test(text)) return text.toLowerCase();
  return foldOnce(foldOnce(text));
}

/** Once more gives the same: the second time only what the first brought to light is left to fold. */
function foldOnce(text: string): string {
  return (
    lower(text.normalize('NFKD').replaceAll(unseen(), '').replaceAll(/[ΗΝΥ]/g, toTwin))
      // Lower case may bring new accents.
      .normalize('NFKD')
      .replaceAll(unseen(), '')
      .replaceAll(strange, toTwin)
  );
}

function toTwin(character: string): string {
  return foldOf().get(character) ?? character;
}

/** By way of upper case, so that letters with several lower forms meet: ß and ss, ς and σ. */
function lower(text: string): string {
  return text.toUpperCase().toLowerCase();
}
