/** Prints values as JSON or YAML in the layout of the surrounding file. */

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

export interface YamlLayout {
  readonly eol: string;
  /** Columns by which a map inside a map is indented. */
  readonly mapIndent: number;
  /** Columns by which a list inside a map is indented; often 0. */
  readonly listIndent: number;
  /** How lists of plain values are written. */
  readonly lists: 'block' | 'flow';
  /** The file is JSON, which is valid YAML too, and stays JSON. */
  readonly json: boolean;
}

/** Begins with a letter, a path, a variable or an option, and contains nothing that is YAML syntax. */
const plainText = /^(?:[A-Za-z_/$\\]|-{1,2}(?=[A-Za-z])|\.{1,2}(?=[/\\]))(?:[\w ./\\@$()+=~-]|:(?! |$))*$/;
/** Words that are not strings in YAML 1.2 or in older versions. */
const reserved = /^(?:true|false|yes|no|on|off|y|n|null|~)$/i;

export function printString(value: string, layout: YamlLayout): string {
  const plain = plainText.test(value) && !value.endsWith(' ') && !reserved.test(value);
  return plain && !layout.json ? value : quote(value);
}

/** JSON escapes are valid in YAML. Characters that YAML calls unprintable are escaped as well. */
function quote(value: string): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Prints a value on one line, in a form that is valid everywhere. */
export function printFlow(value: JsonValue, layout: YamlLayout): string {
  if (typeof value === 'string') return printString(value, layout);
  if (Array.isArray(value)) return `[${value.map((item) => printFlow(item, layout)).join(', ')}]`;
  if (!isObject(value)) return printPlain(value);
  const entries = Object.entries(value).map(
    ([key, item]) => `${printString(key, layout)}: ${printFlow(item, layout)}`,
  );
  return `{${entries.join(', ')}}`;
}

function printPlain(value: number | boolean | null): string {
  if (typeof value !== 'number' || Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf';
}

/** Prints an element of a flow collection. In a JSON file it spans several lines if `indent` is given. */
export function printFlowItem(value: JsonValue, layout: YamlLayout, indent: string | undefined): string {
  if (!layout.json) return printFlow(value, layout);
  const unit = ' '.repeat(layout.mapIndent);
  return printJson(value, { eol: layout.eol, indent: unit, gap: ' ', lists: 'line' }, indent);
}

export function fitsLine(value: JsonValue, layout: YamlLayout): boolean {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return true;
  return (
    Array.isArray(value) &&
    layout.lists === 'flow' &&
    value.every((item) => typeof item !== 'object' || item === null)
  );
}

/**
 * Prints a value in block style, beginning at `column`.
 * The first line has no indentation and the last no line break.
 */
export function printBlock(value: JsonValue, layout: YamlLayout, column: number): string {
  if (fitsLine(value, layout)) return printFlow(value, layout);
  const next = layout.eol + ' '.repeat(column);
  if (Array.isArray(value))
    return value.map((item) => `- ${printBlock(item, layout, column + 2)}`).join(next);
  if (!isObject(value)) return printFlow(value, layout);
  return Object.entries(value)
    .map(([key, item]) => printEntry({ key, value: item }, layout, column))
    .join(next);
}

export function printEntry(
  entry: { key: string; value: JsonValue },
  layout: YamlLayout,
  column: number,
): string {
  const { key, value } = entry;
  const name = printString(key, layout);
  if (fitsLine(value, layout)) return `${name}: ${printFlow(value, layout)}`;
  const inner = innerColumn(value, layout, column);
  return `${name}:${layout.eol}${' '.repeat(inner)}${printBlock(value, layout, inner)}`;
}

/** Returns the column of a collection that is below a key at `column`. */
export function innerColumn(value: JsonValue, layout: YamlLayout, column: number): number {
  return column + (Array.isArray(value) ? layout.listIndent : layout.mapIndent);
}
