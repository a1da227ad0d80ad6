/** Prints values as JSON in the layout of the surrounding file. */

import { isObject, type JsonValue } from '../../kernel/json.ts';

export interface JsonLayout {
  readonly eol: string;
  /** One level of indentation. */
  readonly indent: string;
  /** The text after commas and colons on one line. */
  readonly gap: string;
  /** Whether a list of plain values is written on one line or with one line per item. */
  readonly lists: 'line' | 'block';
}

/** Lists longer than this get one line per item, whatever the layout of the others. */
const maxListWidth = 80;

/**
 * `outer` is the indentation of the line on which the value begins;
 * if undefined, everything goes on one line.
 */
export function printJson(value: JsonValue, layout: JsonLayout, outer: string | undefined): string {
  if (outer === undefined) return printLine(value, layout.gap);
  const isList = Array.isArray(value);
  if (!isList && !isObject(value)) return JSON.stringify(value);
  if (isList && layout.lists === 'line' && value.every(isPlain)) {
    const line = printLine(value, layout.gap);
    if (line.length <= maxListWidth) return line;
  }
  const inner = outer + layout.indent;
  const lines = isList
    ? value.map((item) => inner + printJson(item, layout, inner))
    : Object.entries(value).map(
        ([key, item]) => `${inner}${JSON.stringify(key)}:${layout.gap}${printJson(item, layout, inner)}`,
      );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (lines.length === 0) return open + close;
  return `${open}${layout.eol}${lines.join(`,${layout.eol}`)}${layout.eol}${outer}${close}`;
}

function printLine(value: JsonValue, gap: string): string {
  if (Array.isArray(value)) return `[${value.map((item) => printLine(item, gap)).join(`,${gap}`)}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}:${gap}${printLine(item, gap)}`,
  );
  return `{${entries.join(`,${gap}`)}}`;
}

function isPlain(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}
