/**
 * Formats a JSON document for `--json`. Escapes invisible characters, so that every parser reads it the same
 * way and it cannot manipulate a terminal.
 */

import { onFirstUse } from '../masking/on-first-use.ts';

const unseen = onFirstUse(
  () => /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu,
);
const plain = /^[ -~\n]*$/;

export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2);
  if (plain.test(text)) return `${text}\n`;
  // Line breaks come from the formatting: inside strings, JSON has already escaped them as \n.
  return `${text.replaceAll(unseen(), (found) => (found === '\n' ? found : escaped(found)))}\n`;
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
