/** Breaks long lines at blanks. Never breaks words, so that a path or a URL can be copied. */

import { mostColumns } from './display-width.ts';

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
