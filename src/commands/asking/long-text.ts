/**
 * Formats text from servers and files for questions. Every character is visible, padding is counted, and
 * nothing is cut without a note.
 */

import { escapeLookalikes } from '../../masking/escape-lookalikes.ts';

/**
 * From this length on, the output also shows the length and the end of the text, because padding may hide it.
 */
const longFrom = 480;
const tailLength = 80;
/** Longer text is cut, with a note in place and a warning. */
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

/** True if the text is too long to be shown completely. */
export function isCut(text: string): boolean {
  return text.replaceAll(run, ' ').length > shownAtMost;
}

/** Replaces 20 or more of the same character in a row with their number. */
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
