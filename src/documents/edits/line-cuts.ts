/** Removes and adds whole lines without leaving gaps, for TOML and for YAML in block style. */

import { cut, type Splice } from '../edit.ts';
import { isBlank, lineEndAt, lineStartAt, nextLineAt } from '../text-style.ts';

interface Lines {
  /** Where the first line begins. */
  readonly start: number;
  /** Where the line after the last one begins, or where the text ends. */
  readonly end: number;
}

/** Joins line ranges with only blank lines between them. A text without a final line break stays that way. */
export function cutLines(text: string, ranges: readonly Lines[]): Splice[] {
  const joined: Lines[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || !isBlank(text.slice(last.end, range.start))) joined.push(range);
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
  }
  return joined.map(({ start, end }) => keepFinalBreak(text, widenOverBlank(text, cut(start, end))));
}

/**
 * If a cut would bring two blank lines together, or one to the
 * start or end of the text, it removes one of them too.
 */
export function widenOverBlank(text: string, { start, end }: Splice): Splice {
  const above = lineStartAt(text, Math.max(0, start - 1));
  const blankAbove = start > 0 && isBlank(text.slice(above, start));
  const blankBelow = end < text.length && isBlank(text.slice(end, lineEndAt(text, end)));
  if (blankAbove && (blankBelow || end === text.length)) return cut(above, end);
  if (start === 0 && blankBelow) return cut(start, nextLineAt(text, end));
  return cut(start, end);
}

function keepFinalBreak(text: string, splice: Splice): Splice {
  const { start, end } = splice;
  if (end < text.length || text.endsWith('\n') || start === 0) return splice;
  return cut(lineEndAt(text, lineStartAt(text, start - 1)), end);
}

/**
 * Returns the start of the comment lines directly above a line.
 * `isComment` is called with offsets of line starts.
 */
export function withCommentsAbove(
  text: string,
  lineStart: number,
  isComment: (lineStart: number) => boolean,
): number {
  let first = lineStart;
  while (first > 0) {
    const above = lineStartAt(text, first - 1);
    if (!isComment(above)) break;
    first = above;
  }
  return first;
}

/** Inserts a line after the line of `offset`, which may be the last one and lack a line break. */
export function lineAfter(text: string, offset: number, line: string, eol: string): Splice {
  const at = nextLineAt(text, offset);
  const ended = at > 0 && text[at - 1] === '\n';
  return { start: at, end: at, text: ended ? line + eol : eol + line };
}
