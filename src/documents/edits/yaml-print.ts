/** Values as YAML text, in block style or in flow style. Strings are quoted whenever some reader might see more in them. */

import { isMap } from '../edit.ts';
import type { JsonValue } from '../tree.ts';
import { printJson } from './json-print.ts';

export interface YamlLayout {
  readonly eol: string;
  /** Columns that a map inside of a map moves right. */
  readonly mapIndent: number;
  /** Columns that a list inside of a map moves right; often none. */
  readonly listIndent: number;
  /** How lists of plain values are written. */
  readonly lists: 'block' | 'flow';
  /** The file is JSON, which is YAML too, and stays JSON. */
  readonly json: boolean;
}

/** Begins with a letter, a path, a variable or an option; holds nothing that means something to YAML. */
const plainText = /^(?:[A-Za-z_/$\\]|-{1,2}(?=[A-Za-z])|\.{1,2}(?=[/\\]))(?:[\w ./\\@$()+=~-]|:(?! |$))*$/;
/** Words that are no strings, in YAML 1.2 or in the older ones. */
const reserved = /^(?:true|false|yes|no|on|off|y|n|null|~)$/i;

export function printString(value: string, layout: YamlLayout): string {
  const plain = plainText.test(value) && !value.endsWith(' ') && !reserved.test(value);
  return plain && !layout.json ? value : quote(value);
}

/** JSON's escapes are YAML's too; what YAML calls unprintable is escaped as well. */
function quote(value: string): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** On one line, as it may stand anywhere. */
export function printFlow(value: JsonValue, layout: YamlLayout): string {
  if (typeof value === 'string') return printString(value, layout);
  if (Array.isArray(value)) return `[${value.map((item) => printFlow(item, layout)).join(', ')}]`;
  if (!isMap(value)) return printPlain(value);
  const entries = Object.entries(value).map(
    ([key, item]) => `${printString(key, layout)}: ${printFlow(item, layout)}`,
  );
  return `{${entries.join(', ')}}`;
}

function printPlain(value: number | boolean | null): string {
  if (typeof value !== 'number' || Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf';
}

/** An element of a flow collection; a file that is JSON gets it over several lines where there is room. */
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

/** In block style, from the column where it begins; the first line is not indented, the last has no break. */
export function printBlock(value: JsonValue, layout: YamlLayout, column: number): string {
  if (fitsLine(value, layout)) return printFlow(value, layout);
  const next = layout.eol + ' '.repeat(column);
  if (Array.isArray(value))
    return value.map((item) => `- ${printBlock(item, layout, column + 2)}`).join(next);
  if (!isMap(value)) return printFlow(value, layout);
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

/** Where a collection begins that stands under a key at `column`. */
export function innerColumn(value: JsonValue, layout: YamlLayout, column: number): number {
  return column + (Array.isArray(value) ? layout.listIndent : layout.mapIndent);
}
