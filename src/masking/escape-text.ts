/**
 * Makes untrusted text safe to display: nothing in it can move the cursor, change the text direction or stay
 * hidden. Controls are shown as `\x1b`, invisible characters as `⟨U+202E⟩`. The result is for display only
 * and cannot be parsed back.
 */

import { onFirstUse } from './on-first-use.ts';

/**
 * An emoji may have a variation selector and be joined to another emoji. In such sequences, these characters
 * hide nothing.
 */
const emoji = String.raw`\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?[\ufe0e\ufe0f]?`;
const emojiSequence = String.raw`${emoji}(?:\u200d${emoji})*|[0-9#*]\ufe0f\u20e3`;
const unseen = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}`;
const sequenceOrUnseen = onFirstUse(() => new RegExp(String.raw`${emojiSequence}|[${unseen}]`, 'gu'));
const isUnseen = onFirstUse(() => new RegExp(`^[${unseen}]$`, 'u'));

const plainLine = /^[ -~]*$/;
const plainBlock = /^[ -~\n\t]*$/;

/** For names, table cells and single arguments. Escapes line breaks and tabs too. */
export function escapeLine(text: string): string {
  if (plainLine.test(text)) return text;
  return text.replaceAll(sequenceOrUnseen(), (found) => lineBreaks.get(found) ?? show(found));
}

/**
 * For results, logs and other multi-line text. Keeps line breaks and tabs, and treats CR LF as one line
 * break.
 */
export function escapeBlock(text: string): string {
  if (plainBlock.test(text)) return text;
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(sequenceOrUnseen(), (found) => (found === '\n' || found === '\t' ? found : show(found)));
}

/** Escapes text for HTML content and attribute values. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Counts the invisible characters in a string, except line breaks and tabs. A valid name has none. */
export function countHidden(text: string): number {
  if (plainBlock.test(text)) return 0;
  let count = 0;
  for (const [found] of text.matchAll(sequenceOrUnseen())) {
    if (isUnseen().test(found) && !lineBreaks.has(found) && found !== '\r') count += 1;
  }
  return count;
}

const lineBreaks: ReadonlyMap<string, string> = new Map([
  ['\n', String.raw`\n`],
  ['\t', String.raw`\t`],
]);

/** A cache, because a string may contain the same character a hundred thousand times. */
const known = new Map<string, string>();
const mostKnown = 500;
const longestKnown = 8;

function show(found: string): string {
  const before = known.get(found);
  if (before !== undefined) return before;
  const shown = isUnseen().test(found) ? showCharacter(found) : found;
  if (known.size < mostKnown && found.length <= longestKnown) known.set(found, shown);
  return shown;
}

/** Returns a visible representation of any character. */
export function showCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  const hex = point.toString(16);
  if (point <= 0xff && /\p{Cc}/u.test(character)) return String.raw`\x${hex.padStart(2, '0')}`;
  return `⟨U+${hex.toUpperCase().padStart(4, '0')}⟩`;
}
