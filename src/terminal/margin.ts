/**
 * A left margin for everything a session prints, so that only its prompt and its questions begin at the left
 * edge. Lines that are too long are broken at blanks, because a terminal would continue them at the left
 * edge.
 */

import { wrapRows } from './wrap.ts';

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
