/**
 * Measures and breaks lines by the columns that a terminal gives them. Never breaks words, so that a path or a URL can be
 * copied.
 */

import { onFirstUse } from '../masking/on-first-use.ts';

const tabStop = 8;
/**
 * Blanks, single characters that fonts may draw as blanks (braille blank, a musical null notehead, private
 * and unassigned code points), and words.
 */
const pieces = /[\t\p{Zs}]+|[\u2800\u{1d159}\p{Co}\p{Cn}]|[^\t\p{Zs}\u2800\u{1d159}\p{Co}\p{Cn}]+/gu;
const blank = /^[\t\p{Zs}]/u;

/** What rows begin with. Must be blank. */
export interface RowStart {
  readonly first: string;
  /** For every row after the first. */
  readonly next: string;
}

/** Splits a line into rows. A word that is wider than a row gets its own row, with nothing after it. */
export function wrapRows(line: string, columns: number, { first, next }: RowStart): readonly string[] {
  const whole = first + line;
  if (!line.includes('\t') && mostColumns(whole) <= columns) return [whole];
  const rows: string[] = [];
  let start = first;
  let row = start;
  let end = start.length;
  const startRow = (): void => {
    if (row.trim() === '') return;
    rows.push(row.trimEnd());
    start = next;
    row = start;
    end = start.length;
  };
  for (const [piece] of line.matchAll(pieces)) {
    // Keep the indentation of the line, but not the blanks where it is broken.
    if (rows.length > 0 && row === start && blank.test(piece)) continue;
    const after = endOf(piece, end);
    if (after > columns) startRow();
    if (after > columns && blank.test(piece)) continue;
    row += piece;
    end = endOf(piece, end);
  }
  startRow();
  return rows;
}

/** The column after a piece that starts at `begin`. */
function endOf(piece: string, begin: number): number {
  let end = begin;
  for (const [index, part] of piece.split('\t').entries()) {
    if (index > 0) end = (Math.floor(end / tabStop) + 1) * tabStop;
    end += mostColumns(part);
  }
  return end;
}

/** Wraps lines for people to read, with continuations indented further than the line. */
export function wrapLines(lines: readonly string[], columns: number): readonly string[] {
  if (columns === Infinity) return lines;
  return lines
    .flatMap((line) => line.split('\n'))
    .flatMap((line) => {
      const first = /^ */.exec(line)?.[0] ?? '';
      return wrapRows(line.slice(first.length), columns, { first, next: `${first}  ` });
    });
}

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
  let shown = '';
  for (const character of text) {
    if (mostColumns(`${shown}${character}…`) > columns) break;
    shown += character;
  }
  return `${shown}…`;
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

/** Before everything that a session prints, so that only its prompt and its questions begin at the left edge. */
export const margin = '  ';

/**
 * Adds a margin before each line and each continuation; escape foreign text first. Does not break a word that
 * is wider than the terminal, so that a long URL can be copied. Such a word gets rows of its own.
 */
export function withMargin(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : rowsOf(line, columns).join('\n')))
    .join('\n');
}

function rowsOf(line: string, columns: number): readonly string[] {
  return wrapRows(line, columns, { first: margin, next: margin });
}

/** Starts at the left edge and is as wide as the margin, so that printed text cannot look like a question. */
const questionMark = '? ';

export interface LaidOutQuestion {
  /** Lines above the prompt, each with its line break; may be empty. */
  readonly about: string;
  /** Where the answer is typed. */
  readonly prompt: string;
}

/** All but the last row of a question is printed with the margin, because it may contain foreign text. */
export function layOutQuestion(question: string, columns: number): LaidOutQuestion {
  const cut = question.lastIndexOf('\n') + 1;
  const last = question.slice(cut);
  const asked = last.trimEnd();
  const rows = rowsOf(asked, columns);
  const above = rows.slice(0, -1).map((row) => `${row}\n`);
  const prompt = questionMark + (rows.at(-1) ?? '').slice(margin.length) + last.slice(asked.length);
  return { about: [withMargin(question.slice(0, cut), columns), ...above].join(''), prompt };
}
