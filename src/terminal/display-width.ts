/** Measures text in terminal columns. Ignores our own colour codes; escape foreign text first. */

import { onFirstUse } from '../masking/on-first-use.ts';

/** East Asian wide and fullwidth blocks. The Unicode property adds emoji that are wide by default. */
const wide = onFirstUse(
  () =>
    /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u,
);
const weightless = onFirstUse(() => /[\p{M}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u1160-\u11ff]/u);
/** Characters that no terminal gives a column of their own. */
const unspaced = onFirstUse(() => /[\p{Mn}\p{Me}\p{Cf}\p{Default_Ignorable_Code_Point}]/u);
const emoji = onFirstUse(() => /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/u);
const plain = /^[ -~]*$/;
// Written with \u001b rather than as a raw byte so that the source itself stays printable.
// oxlint-disable-next-line no-control-regex -- colour codes start with this character
const colourCode = /\u001b\[[\d;]*m/g;

const joiner = 0x200d;
const emojiStyle = 0xfe0f;

export function displayWidth(text: string): number {
  const bare = text.includes('\u001b') ? text.replaceAll(colourCode, '') : text;
  if (plain.test(bare)) return bare.length;

  let total = 0;
  let previous = 0;
  let previousWidth = 0;
  for (const character of bare) {
    const point = character.codePointAt(0) ?? 0;
    let width = widthOf(character, point);
    // An emoji after a joiner, and a skin tone after an emoji, is drawn on top of the previous one.
    if (previous === joiner || (isSkinTone(point) && previousWidth === 2)) width = 0;
    if (point === emojiStyle && previousWidth === 1 && previous > 0x7f) width = 1;
    total += width;
    previous = point;
    if (width > 0) previousWidth = width;
  }
  return total;
}

/**
 * The most columns that text may take. Terminals differ in whether they draw joined emoji, skin tones and
 * spacing marks as one character.
 */
export function mostColumns(text: string): number {
  const bare = text.includes('\u001b') ? text.replaceAll(colourCode, '') : text;
  if (plain.test(bare)) return bare.length;
  let total = 0;
  for (const character of bare) {
    if (unspaced().test(character)) continue;
    total += wide().test(character) || emoji().test(character) ? 2 : 1;
  }
  return total;
}

/** Cuts text to the width. It must not contain colour codes. */
export function cutToWidth(text: string, columns: number): string {
  if (mostColumns(text) <= columns) return text;
  let kept = '';
  for (const character of text) {
    if (mostColumns(`${kept}${character}…`) > columns) break;
    kept += character;
  }
  return `${kept}…`;
}

function widthOf(character: string, point: number): number {
  if (point >= 0x20 && point < 0x7f) return 1;
  if (weightless().test(character)) return 0;
  if (isRegionalIndicator(point)) return 1;
  return wide().test(character) ? 2 : 1;
}

/** Flags are two letters of this block, each one column. */
function isRegionalIndicator(point: number): boolean {
  return point >= 0x1f1e6 && point <= 0x1f1ff;
}

function isSkinTone(point: number): boolean {
  return point >= 0x1f3fb && point <= 0x1f3ff;
}
