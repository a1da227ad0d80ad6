/** Prints values as TOML 1.0: inline tables on one line, no null. */

import { isObject, type JsonValue } from '../../kernel/json.ts';
import { EditRefusal } from '../edit.ts';

const bareKey = /^[A-Za-z0-9_-]+$/;

export function printKey(names: readonly string[]): string {
  return names.map((name) => (bareKey.test(name) ? name : printString(name))).join('.');
}

function printString(value: string): string {
  if (/\p{Surrogate}/u.test(value)) throw new EditRefusal('TOML cannot hold half of a character');
  return JSON.stringify(value).replaceAll('\u007f', String.raw`\u007f`);
}

/** Prints a value on one line, as it appears after an equals sign or in an array. */
export function printInline(value: JsonValue): string {
  if (value === null) throw new EditRefusal('TOML has no null');
  if (Array.isArray(value)) return `[${value.map(printInline).join(', ')}]`;
  if (isObject(value)) {
    const pairs = Object.entries(value).map(([key, item]) => `${printKey([key])} = ${printInline(item)}`);
    return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
  }
  return typeof value === 'string' ? printString(value) : printPlain(value);
}

/** Writes integers that a double cannot hold exactly as floats, for readers with 64-bit integers. */
function printPlain(value: number | boolean): string {
  if (typeof value === 'boolean') return String(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? value.toExponential()
    : JSON.stringify(value);
}

export interface TomlLayout {
  readonly eol: string;
  readonly indent: string;
}

const maxWidth = 100;

/** Prints the value of a pair. An array spans several lines if it is long or if `spread` is true. */
export function printValue(
  value: JsonValue,
  layout: TomlLayout,
  { outer, spread } = { outer: '', spread: false },
): string {
  const line = printInline(value);
  if (!Array.isArray(value) || value.length === 0 || (!spread && line.length <= maxWidth)) return line;
  const items = value.map((item) => `${outer}${layout.indent}${printInline(item)},${layout.eol}`);
  return `[${layout.eol}${items.join('')}${outer}]`;
}

/**
 * Prints a table with its header, and a header for each table inside it.
 * The result ends without a line break.
 */
export function printTable(
  names: readonly string[],
  value: { readonly [key: string]: JsonValue },
  layout: TomlLayout,
  brackets: '[]' | '[[]]' = '[]',
): string {
  const half = brackets.length / 2;
  const lines = [brackets.slice(0, half) + printKey(names) + brackets.slice(half)];
  const tables: string[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (isObject(item) && Object.keys(item).length > 0)
      tables.push(printTable([...names, key], item, layout));
    else lines.push(`${printKey([key])} = ${printValue(item, layout)}`);
  }
  return [lines.join(layout.eol), ...tables].join(layout.eol + layout.eol);
}
