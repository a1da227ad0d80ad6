/**
 * Parses a regular expression into a tree, for the part of ECMAScript's syntax that can be matched in linear
 * time. Patterns with look-around or back-references are not supported.
 */

import { characterEscape, characterSet, type CharacterTest } from './pattern-characters.ts';

export type PatternNode =
  | { readonly kind: 'character'; readonly test: CharacterTest; readonly cost: number }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly min: number; readonly max: number }
  | { readonly kind: 'edge'; readonly edge: Edge };

export type Edge = 'start' | 'end' | 'word' | 'not-word';

const edges: readonly (readonly [string, Edge])[] = [
  ['^', 'start'],
  ['$', 'end'],
  [String.raw`\b`, 'word'],
  [String.raw`\B`, 'not-word'],
];

/** Thrown for an unsupported pattern. Never leaves this file. */
class NotUnderstood extends Error {}

const maxNesting = 50;

interface Reader {
  readonly text: string;
  at: number;
  nesting: number;
}

export function parsePattern(pattern: string): PatternNode | undefined {
  const reader: Reader = { text: pattern, at: 0, nesting: 0 };
  try {
    const node = readChoice(reader);
    return reader.at === pattern.length ? node : undefined;
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined;
    throw error;
  }
}

function readChoice(reader: Reader): PatternNode {
  const options = [readSequence(reader)];
  while (reader.text[reader.at] === '|') {
    reader.at += 1;
    options.push(readSequence(reader));
  }
  return options.length === 1 && options[0] !== undefined ? options[0] : { kind: 'choice', options };
}

function readSequence(reader: Reader): PatternNode {
  const parts: PatternNode[] = [];
  for (;;) {
    const next = reader.text[reader.at];
    if (next === undefined || next === '|' || next === ')') return { kind: 'sequence', parts };
    parts.push(readQuantified(reader));
  }
}

function readQuantified(reader: Reader): PatternNode {
  const part = readTerm(reader);
  const counts = readCounts(reader);
  if (counts === undefined) return part;
  if (part.kind === 'edge') throw new NotUnderstood();
  // Lazy or greedy makes no difference to whether it matches.
  if (reader.text[reader.at] === '?') reader.at += 1;
  if (readCounts(reader) !== undefined) throw new NotUnderstood();
  return { kind: 'repeat', part, ...counts };
}

function readCounts(reader: Reader): { min: number; max: number } | undefined {
  const sign = reader.text[reader.at] ?? '';
  if (sign === '' || !'*+?{'.includes(sign)) return undefined;
  const counts = /^(?:([*+?])|\{(\d{1,6})(?:(,)(\d{1,6})?)?\})/.exec(
    reader.text.slice(reader.at, reader.at + 20),
  );
  if (counts === null) return undefined;
  reader.at += counts[0].length;
  if (counts[1] === '*') return { min: 0, max: Infinity };
  if (counts[1] === '+') return { min: 1, max: Infinity };
  if (counts[1] === '?') return { min: 0, max: 1 };
  const min = Number(counts[2]);
  const max = counts[4] === undefined ? (counts[3] === undefined ? min : Infinity) : Number(counts[4]);
  if (max < min) throw new NotUnderstood();
  return { min, max };
}

function readTerm(reader: Reader): PatternNode {
  const next = reader.text[reader.at] ?? '';
  if (next === '(') return readGroup(reader);
  const edge = edgeAt(reader);
  if (edge !== undefined) {
    reader.at += edge[0].length;
    return { kind: 'edge', edge: edge[1] };
  }
  if ('*+?'.includes(next)) throw new NotUnderstood();
  const set = next === '\\' ? characterEscape(reader.text, reader.at) : characterSet(reader.text, reader.at);
  if (set === undefined) throw new NotUnderstood();
  reader.at = set.end;
  return { kind: 'character', test: set.test, cost: set.cost ?? 0 };
}

function edgeAt({ text, at }: Reader): (typeof edges)[number] | undefined {
  if (!'^$\\'.includes(text[at] ?? '')) return undefined;
  return edges.find(([sign]) => text.startsWith(sign, at));
}

function readGroup(reader: Reader): PatternNode {
  const opening = /^\((?:\?:|\?<[A-Za-z_$][\w$]*>|(?!\?))/.exec(
    reader.text.slice(reader.at, reader.at + 100),
  );
  reader.nesting += 1;
  if (opening === null || reader.nesting > maxNesting) throw new NotUnderstood();
  reader.at += opening[0].length;
  const inner = readChoice(reader);
  if (reader.text[reader.at] !== ')') throw new NotUnderstood();
  reader.at += 1;
  reader.nesting -= 1;
  return inner;
}
