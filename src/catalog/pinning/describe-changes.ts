/**
 * Explains why a tool is withheld, in lines that a person can decide by: one line per value, `-` before and
 * `+` now, with invisible characters escaped. Long values are cut to the part that differs, and omitted
 * characters are counted.
 */

import { escapeLookalikes } from '../../masking/escape-lookalikes.ts';
import { showCharacter } from '../../masking/escape-text.ts';
import { definitionText, digestOf, type Prepared, type PinState } from './definition.ts';
import type { Pin, PinTexts } from './pin-records.ts';

const lostReason = 'what was accepted earlier is lost, because pins.json was damaged';
const hiddenReason = 'a secret in it is another one now; it is not shown';
const goneReason = 'it is not what was accepted; the earlier text is no longer kept';

export function describeChanges(
  tool: string,
  offer: Prepared,
  state: PinState,
  texts: PinTexts | undefined,
): readonly string[] {
  const offered = offer.tools.get(tool);
  const text = offered === undefined ? undefined : definitionText(offered);
  const after = offer.redact(text ?? '{}');
  if (state.lost) return [lostReason, ...diffDefinitions(undefined, after)];
  const pin = state.record?.tools.get(tool);
  if (pin === undefined) return ['it is new', ...diffDefinitions(undefined, after)];
  const before = matching(texts?.tools.get(tool), pin, texts?.digests?.get(tool));
  return before === undefined
    ? [goneReason, ...diffDefinitions(undefined, after)]
    : orHiddenReason(diffDefinitions(offer.redact(before), after));
}

export function instructionChanges(
  { instructions, redact }: Prepared,
  state: PinState,
  texts: PinTexts | undefined,
): readonly string[] {
  const after = instructions === undefined ? undefined : redact(instructions);
  if (state.lost) return [lostReason, ...diffText('instructions', undefined, after)];
  const pin = state.record?.instructions;
  if (pin === undefined) return ['they are new', ...diffText('instructions', undefined, after)];
  const before = matching(texts?.instructions, pin, texts?.digests?.get(''));
  if (before === undefined) return [goneReason, ...diffText('instructions', undefined, after)];
  return orHiddenReason(diffText('instructions', redact(before), after));
}

/** When no difference is visible, it is in a secret that was redacted. */
function orHiddenReason(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [hiddenReason] : lines;
}

/** Returns the stored text only when it is the one that was accepted. */
function matching(text: string | undefined, { digest }: Pin, was: string | undefined): string | undefined {
  return text !== undefined && (was ?? digestOf(text)) === digest ? text : undefined;
}

const maxLines = 200;
const maxShown = 2000;
const context = 60;

/** Both are canonical JSON; undefined means that there is no definition. */
export function diffDefinitions(before: string | undefined, after: string | undefined): readonly string[] {
  const old = leavesOf(before);
  const now = leavesOf(after);
  const lines = [...new Set([...old.keys(), ...now.keys()])].flatMap((path) =>
    diffText(path, old.get(path), now.get(path)),
  );
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines), `… and ${lines.length - maxLines} more lines`];
}

export function diffText(
  label: string,
  before: string | undefined,
  after: string | undefined,
): readonly string[] {
  if (before === after) return [];
  const [left, right] = windows(before ?? '', after ?? '');
  const shown = [escapeLookalikes(left.text), escapeLookalikes(right.text)] as const;
  // If both still look the same, escape everything that is not ASCII: two spellings of é, an emoji with and
  // without its selector.
  const isAlike = bareForm(shown[0]) === bareForm(shown[1]);
  const [old, now] = isAlike ? [spellOut(left.text), spellOut(right.text)] : shown;
  const name = escapeLookalikes(label);
  return [
    ...(before === undefined ? [] : [`- ${name}: ${left.lead}${old}${left.trail}`]),
    ...(after === undefined ? [] : [`+ ${name}: ${right.lead}${now}${right.trail}`]),
  ];
}

function bareForm(text: string): string {
  return text.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
}

function spellOut(text: string): string {
  return text.replaceAll(/[^ -~]/gu, showCharacter);
}

/** A part of a string, with marks where there is more. */
interface Part {
  readonly lead: string;
  readonly text: string;
  readonly trail: string;
}

/** Returns the parts of two strings that differ, with some context around them. */
function windows(before: string, after: string): readonly [Part, Part] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let tail = 0;
  while (tail < shorter - start && before[before.length - 1 - tail] === after[after.length - 1 - tail])
    tail += 1;
  const from = Math.max(0, start - context);
  const left = Math.max(0, tail - context);
  return [cut(before, from, before.length - left), cut(after, from, after.length - left)];
}

function cut(whole: string, from: number, to: number): Part {
  const start = isInsidePair(whole, from) ? from - 1 : from;
  const end = isInsidePair(whole, to) ? to + 1 : to;
  const text = whole.slice(start, Math.min(end, start + maxShown));
  const missing = end - start - text.length;
  const note = missing > 0 ? `… (${missing} more characters)` : '';
  return { lead: start > 0 ? '…' : '', text, trail: `${note}${end < whole.length ? '…' : ''}` };
}

function isInsidePair(text: string, at: number): boolean {
  return (
    at > 0 &&
    at < text.length &&
    /[\udc00-\udfff]/.test(text[at] ?? '') &&
    /[\ud800-\udbff]/.test(text[at - 1] ?? '')
  );
}

function leavesOf(text: string | undefined): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  if (text !== undefined) collect(JSON.parse(text), '', leaves);
  return leaves;
}

function collect(value: unknown, path: string, into: Map<string, string>): void {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) {
    into.set(path, JSON.stringify(value));
    return;
  }
  for (const [key, inner] of entries as readonly (readonly [string, unknown])[])
    collect(inner, Array.isArray(value) ? `${path}[${key}]` : join(path, key), into);
}

function join(path: string, key: string): string {
  if (!/^[\w$-]+$/u.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
