/**
 * Adds and removes elements in bracketed, comma-separated lists: JSON, TOML's inline tables and arrays, and
 * YAML's flow style. A comment on an element's line and comment lines directly above it belong to the
 * element.
 */

import { cut, insertAt, type Splice } from '../edit.ts';
import {
  indentAt,
  isBlank,
  isFirstOnLine,
  isLineBreak,
  lineEndAt,
  lineStartAt,
  nextLineAt,
  type TextStyle,
} from '../text-style.ts';
import { widenOverBlank } from './line-cuts.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

export interface CommaList {
  readonly text: string;
  /** Offset after the opening bracket. */
  readonly open: number;
  /** Offset of the closing bracket. */
  readonly close: number;
  readonly elements: readonly Span[];
  readonly comments: 'slash' | 'hash';
}

export interface ListStyle extends TextStyle {
  /** The text after a comma on the same line: a space or nothing. */
  readonly gap: string;
  /** True if an empty list stays on one line when it gets its first element. */
  readonly oneLine: boolean;
}

/** Prints the new element: on one line, or over several lines with this indentation for the first. */
export type PrintElement = (indent: string | undefined) => string;

export function insertElement(list: CommaList, print: PrintElement, style: ListStyle): Splice[] {
  const last = list.elements.at(-1);
  if (last === undefined) return fillEmpty(list, print, style);

  const comma = commaAfter(list, last);
  const after = comma === undefined ? last.end : comma + 1;
  const rest = restOfLine(list, after);
  const endsLine = isLineBreak(list.text, rest.at);
  const leads = isFirstOnLine(list.text, last.start);
  const indent = leads ? indentAt(list.text, last.start) : indentAt(list.text, list.open) + style.indent;
  const ownLine = leads || rest.lineComment;

  const separator = comma === undefined ? [insertAt(last.end, ',')] : [];
  const body = ownLine ? style.eol + indent + print(indent) : style.gap + print(undefined);
  const at = ownLine && endsLine ? rest.at : rest.contentEnd;
  return [...separator, insertAt(at, comma === undefined ? body : `${body},`)];
}

/** Inserts before any comments in an otherwise empty list, because those do not describe the new element. */
function fillEmpty(list: CommaList, print: PrintElement, style: ListStyle): Splice[] {
  const { text, open, close } = list;
  const outer = indentAt(text, open);
  const indent = outer + style.indent;
  if (isBlank(text.slice(open, close))) {
    const body = style.oneLine ? print(undefined) : style.eol + indent + print(indent) + style.eol + outer;
    return [{ start: open, end: close, text: body }];
  }
  const rest = restOfLine(list, open);
  if (isLineBreak(text, rest.at)) return [insertAt(rest.at, style.eol + indent + print(indent))];
  return [insertAt(rest.contentEnd, style.gap + print(undefined))];
}

export function removeElement(list: CommaList, index: number): Splice[] {
  const { text, open, close, elements } = list;
  const element = elements[index];
  if (element === undefined) return [];
  const comma = commaAfter(list, element);
  const before = elements[index - 1];
  const commaBefore = before === undefined ? undefined : commaAfter(list, before);
  const isLast = index === elements.length - 1;

  const piece = ownLines(list, index, comma) ?? inLine(list, { index, comma, commaBefore, isLast });
  const rest = text.slice(open, piece.start) + text.slice(piece.end, close);
  if (elements.length === 1 && isBlank(rest)) return [cut(open, close)];
  const needless = isLast && comma === undefined && commaBefore !== undefined && commaBefore < piece.start;
  return needless ? [cut(commaBefore, commaBefore + 1), piece] : [piece];
}

/** Returns the lines of an element and its comments, if no other element is on them. */
function ownLines(list: CommaList, index: number, comma: number | undefined): Splice | undefined {
  const { text, elements } = list;
  const element = elements[index];
  if (element === undefined || !isFirstOnLine(text, element.start)) return undefined;
  if (comma !== undefined && restOfLine(list, element.end).at !== comma) return undefined;
  const rest = restOfLine(list, comma === undefined ? element.end : comma + 1);
  if (!isLineBreak(text, rest.at)) return undefined;
  return widenOverBlank(text, cut(ownCommentsStart(list, index), nextLineAt(text, rest.at)));
}

interface Place {
  readonly index: number;
  readonly comma: number | undefined;
  readonly commaBefore: number | undefined;
  readonly isLast: boolean;
}

function inLine(list: CommaList, { index, comma, commaBefore, isLast }: Place): Splice {
  const { text, elements, close } = list;
  const { start, end } = elements[index] ?? { start: close, end: close };
  if (comma !== undefined && !isLast) {
    const rest = restOfLine(list, comma + 1);
    const next = isLineBreak(text, rest.at) ? rest.at : comma + 1;
    return cut(start, skipBlank(text, next));
  }
  const stop = comma === undefined ? restOfLine(list, end).contentEnd : comma + 1;
  if (commaBefore !== undefined && isBlank(text.slice(commaBefore + 1, start))) {
    if (comma !== undefined) return cut(commaBefore + 1, stop);
    const ownLine = isFirstOnLine(text, commaBefore) && isLineBreak(text, restOfLine(list, stop).at);
    return cut(ownLine ? blankBefore(text, commaBefore) : commaBefore, stop);
  }
  return cut(contentBefore(list, index, commaBefore), stop);
}

/**
 * Returns where to begin the cut of an element that may follow comments.
 * The text after the cut must not end up behind a line comment.
 */
function contentBefore(list: CommaList, index: number, commaBefore: number | undefined): number {
  const { text, elements, open } = list;
  const start = elements[index]?.start ?? open;
  const last = commentsBetween(list, commaBefore ?? open, start).at(-1);
  if (last?.toLineEnd === false) return last.end;
  return isFirstOnLine(text, start) ? start : spacesBefore(text, start);
}

function commaAfter(list: CommaList, element: Span): number | undefined {
  let at = element.end;
  for (;;) {
    at = restOfLine(list, at).at;
    if (!isLineBreak(list.text, at)) break;
    at = nextLineAt(list.text, at);
  }
  return list.text[at] === ',' ? at : undefined;
}

interface RestOfLine {
  /**
   * The first character that is neither a space nor in a comment: a line break, comma, bracket or element.
   */
  readonly at: number;
  /** Where the last comment ends, or where the search began. */
  readonly contentEnd: number;
  /** True if a comment reaches to the end of the line. */
  readonly lineComment: boolean;
}

function restOfLine(list: CommaList, from: number): RestOfLine {
  const { text } = list;
  let at = skipSpaces(text, from);
  let contentEnd = from;
  let lineComment = false;
  for (;;) {
    const comment = commentAt(list, at);
    if (comment === undefined) return { at, contentEnd, lineComment };
    lineComment = comment.toLineEnd;
    contentEnd = comment.end;
    at = skipSpaces(text, comment.end);
  }
}

function commentAt(
  { text, comments }: CommaList,
  at: number,
): { end: number; toLineEnd: boolean } | undefined {
  if (comments === 'hash' ? text[at] === '#' : text.startsWith('//', at)) {
    return { end: lineEndAt(text, at), toLineEnd: true };
  }
  if (comments === 'hash' || !text.startsWith('/*', at)) return undefined;
  return { end: text.indexOf('*/', at + 2) + 2, toLineEnd: false };
}

/** Returns the start of the comment lines directly above an element, or of its own line if there are none. */
function ownCommentsStart(list: CommaList, index: number): number {
  const { text, elements, open } = list;
  const start = elements[index]?.start ?? open;
  let first = lineStartAt(text, start);
  for (const comment of commentsBetween(list, elements[index - 1]?.end ?? open, start).toReversed()) {
    const reaches = nextLineAt(text, comment.end) === first && isBlank(text.slice(comment.end, first));
    if (!reaches || !isFirstOnLine(text, comment.start)) break;
    first = lineStartAt(text, comment.start);
  }
  return first;
}

interface Comment extends Span {
  readonly toLineEnd: boolean;
}

function commentsBetween(list: CommaList, from: number, to: number): Comment[] {
  const found: Comment[] = [];
  for (let at = from; at < to;) {
    const comment = commentAt(list, at);
    if (comment !== undefined) found.push({ start: at, ...comment });
    at = comment?.end ?? at + 1;
  }
  return found;
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}

function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charAt(at))) at += 1;
  return at;
}

function blankBefore(text: string, from: number): number {
  let at = from;
  while (at > 0 && isBlank(text.charAt(at - 1))) at -= 1;
  return at;
}

function spacesBefore(text: string, from: number): number {
  let at = from;
  while (text[at - 1] === ' ' || text[at - 1] === '\t') at -= 1;
  return at;
}
