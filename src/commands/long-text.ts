/** Foreign text in a question where one letter decides: every character visible, padding named, nothing cut silently. */

import { escapeLookalikes } from '../masking/escape-lookalikes.ts';

/** From here on a text also tells its length and how it ends: that is where padding would hide something. */
const longFrom = 480;
const tailLength = 80;
/** More than this nobody reads; what is left out is said, here and in a warning. */
const shownAtMost = 4000;
const headLength = 3000;

const run = /(.)\1{19,}/gsu;

export function showText(text: string): string {
  const shown = showRuns(text);
  return text === '' || /^\s|\s$/.test(text) ? `"${shown}"` : shown;
}

export function showLongText(text: string): string {
  if (text.length <= longFrom) return showText(text);
  const tail = `(${text.length} characters, the last ${tailLength}: "${showRuns(text.slice(-tailLength))}")`;
  if (!isCut(text)) return `${showText(text)} ${tail}`;
  const left = text.length - headLength - tailLength;
  return `${showRuns(text.slice(0, headLength))} ⟨${left} characters are not shown here⟩ ${tail}`;
}

/** True when not all of a text is shown. */
export function isCut(text: string): boolean {
  return text.replaceAll(run, ' ').length > shownAtMost;
}

/** Twenty of the same character in a row say no more than their number. */
function showRuns(text: string): string {
  let shown = '';
  let at = 0;
  for (const found of text.matchAll(run)) {
    const [whole, character = ''] = found;
    const what = character === ' ' ? 'spaces' : `times ${escapeLookalikes(character)}`;
    shown += `${escapeLookalikes(text.slice(at, found.index))}⟨${Array.from(whole).length} ${what}⟩`;
    at = found.index + whole.length;
  }
  return shown + escapeLookalikes(text.slice(at));
}
