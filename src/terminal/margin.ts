/**
 * A left margin for everything a session prints, so that only its prompt and its questions begin at the left edge.
 * Lines that are too long are broken at blanks, because a terminal would continue them at the left edge.
 */

import { mostColumns } from './display-width.ts';

export const margin = '  ';

const tabStop = 8;
/**
 * Blanks, single signs that fonts may draw as blanks (braille blank, a musical null notehead, private and unassigned
 * code points), and words.
 */
const pieces = /[\t\p{Zs}]+|[\u2800\u{1d159}\p{Co}\p{Cn}]|[^\t\p{Zs}\u2800\u{1d159}\p{Co}\p{Cn}]+/gu;
const blank = /^[\t\p{Zs}]/u;

/**
 * The text with a margin before each line and each continuation; escape foreign text first. A word that is wider than
 * the terminal stays whole, so that a long URL can be copied: it gets rows of its own, on which nothing follows.
 */
export function withMargin(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : rowsOf(line, columns).join('\n')))
    .join('\n');
}

function rowsOf(line: string, columns: number): readonly string[] {
  const whole = margin + line;
  if (!line.includes('\t') && mostColumns(whole) <= columns) return [whole];
  const rows: string[] = [];
  let row = margin;
  let end = margin.length;
  const startRow = (): void => {
    if (row !== margin) rows.push(row.trimEnd());
    row = margin;
    end = margin.length;
  };
  for (const [piece] of line.matchAll(pieces)) {
    // The indentation of the line stays; the blanks at which it was broken do not.
    if (rows.length > 0 && row === margin && blank.test(piece)) continue;
    const after = endOf(piece, end);
    if (after <= columns) {
      row += piece;
      end = after;
      continue;
    }
    startRow();
    if (blank.test(piece)) continue;
    row += piece;
    end = endOf(piece, end);
  }
  startRow();
  return rows;
}

/** The column after a piece that begins at this one. */
function endOf(piece: string, begin: number): number {
  let end = begin;
  for (const [index, part] of piece.split('\t').entries()) {
    if (index > 0) end = (Math.floor(end / tabStop) + 1) * tabStop;
    end += mostColumns(part);
  }
  return end;
}

/** As wide as the margin, at the left edge: no text that was printed can begin like a question. */
const questionMark = '? ';

export interface LaidOutQuestion {
  /** Lines above the prompt, each with its line break; may be empty. */
  readonly about: string;
  /** Where the answer is typed. */
  readonly prompt: string;
}

/** All but the last row of a question is printed with the margin, because names and texts in it may be foreign. */
export function layOutQuestion(question: string, columns: number): LaidOutQuestion {
  const cut = question.lastIndexOf('\n') + 1;
  const last = question.slice(cut);
  const asked = last.trimEnd();
  const rows = rowsOf(asked, columns);
  const above = rows.slice(0, -1).map((row) => `${row}\n`);
  const prompt = questionMark + (rows.at(-1) ?? '').slice(margin.length) + last.slice(asked.length);
  return { about: [withMargin(question.slice(0, cut), columns), ...above].join(''), prompt };
}
