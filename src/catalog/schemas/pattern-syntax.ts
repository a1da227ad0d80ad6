/**
 * Parses a regular expression into a tree, for the part of ECMAScript's syntax that can be matched in linear
 * time. Patterns with look-around or back-references are not supported.
 */

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
    // Thrown below for what is not supported.
    if (error instanceof SyntaxError) return undefined;
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
  if (part.kind === 'edge') throw new SyntaxError('Unsupported pattern');
  // Lazy or greedy makes no difference to whether it matches.
  if (reader.text[reader.at] === '?') reader.at += 1;
  if (readCounts(reader) !== undefined) throw new SyntaxError('Unsupported pattern');
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
  if (max < min) throw new SyntaxError('Unsupported pattern');
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
  if ('*+?'.includes(next)) throw new SyntaxError('Unsupported pattern');
  const set = next === '\\' ? characterEscape(reader.text, reader.at) : characterSet(reader.text, reader.at);
  if (set === undefined) throw new SyntaxError('Unsupported pattern');
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
  if (opening === null || reader.nesting > maxNesting) throw new SyntaxError('Unsupported pattern');
  reader.at += opening[0].length;
  const inner = readChoice(reader);
  if (reader.text[reader.at] !== ')') throw new SyntaxError('Unsupported pattern');
  reader.at += 1;
  reader.nesting -= 1;
  return inner;
}

/** Takes a code point. */
export type CharacterTest = (point: number) => boolean;

export interface CharacterSet {
  readonly test: CharacterTest;
  /** The offset at which parsing continues. */
  readonly end: number;
  /** The cost of the test in visits, if it is more than comparing one character. */
  readonly cost?: number;
  /** The only character that matches, if it can begin or end a range. */
  readonly point?: number;
}

export const isWordCharacter: CharacterTest = (point) =>
  (point >= 48 && point <= 57) ||
  (point >= 65 && point <= 90) ||
  point === 95 ||
  (point >= 97 && point <= 122);
const isDigit: CharacterTest = (point) => point >= 48 && point <= 57;
const isLineEnd: CharacterTest = (point) =>
  point === 10 || point === 13 || point === 0x20_28 || point === 0x20_29;
const isSpace: CharacterTest = (point) => /\s/u.test(String.fromCodePoint(point));

const kinds = new Map<string, CharacterTest>([
  ['d', isDigit],
  ['D', (point) => !isDigit(point)],
  ['w', isWordCharacter],
  ['W', (point) => !isWordCharacter(point)],
  ['s', isSpace],
  ['S', (point) => !isSpace(point)],
]);
const controls = new Map([
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
]);

function single(point: number, end: number): CharacterSet {
  return { test: (other) => other === point, end, point };
}

/** Parses a character outside of classes, or a whole class. */
export function characterSet(text: string, at: number): CharacterSet | undefined {
  if (text[at] === '[') return characterClass(text, at + 1);
  if (text[at] === '.') return { test: (point) => !isLineEnd(point), end: at + 1 };
  return literal(text, at);
}

function literal(text: string, at: number): CharacterSet | undefined {
  const point = text.codePointAt(at);
  return point === undefined ? undefined : single(point, at + (point > 0xff_ff ? 2 : 1));
}

/**
 * Parses an escape whose backslash is at `at`. Returns undefined for back-references and for escapes that
 * ECMAScript does not define.
 */
export function characterEscape(text: string, at: number): CharacterSet | undefined {
  const letter = text[at + 1] ?? '';
  const kind = kinds.get(letter);
  if (kind !== undefined) return { test: kind, end: at + 2 };
  if (letter === 'p' || letter === 'P') return property(text, at);
  if (letter === 'u' || letter === 'x') return numbered(text, at);
  const control = controls.get(letter);
  if (control !== undefined) return single(control, at + 2);
  return /[A-Za-z0-9]/.test(letter) ? undefined : literal(text, at + 1);
}

function numbered(text: string, at: number): CharacterSet | undefined {
  const code = /^\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]{1,6})\})/i.exec(text.slice(at, at + 12));
  const point = Number.parseInt(code?.[1] ?? code?.[2] ?? code?.[3] ?? '', 16);
  return code === null || point > 0x10_ff_ff ? undefined : single(point, at + code[0].length);
}

function property(text: string, at: number): CharacterSet | undefined {
  const name = /^\\[pP]\{[\w=]{1,60}\}/.exec(text.slice(at, at + 70))?.[0];
  if (name === undefined) return undefined;
  try {
    // V8's matcher is safe here, because matching one property against one character is always fast.
    const native = new RegExp(name, 'u');
    return { test: (point) => native.test(String.fromCodePoint(point)), end: at + name.length };
  } catch {
    return undefined;
  }
}

function characterClass(text: string, from: number): CharacterSet | undefined {
  const negated = text[from] === '^';
  let at = negated ? from + 1 : from;
  const tests: CharacterTest[] = [];
  while (text[at] !== ']') {
    const first = classMember(text, at);
    if (first === undefined) return undefined;
    const last =
      text[first.end] === '-' && text[first.end + 1] !== ']' ? classMember(text, first.end + 1) : undefined;
    const range = last === undefined ? undefined : between(first.point, last.point);
    if (last !== undefined && range === undefined) return undefined;
    tests.push(range ?? first.test);
    at = last?.end ?? first.end;
  }
  const test: CharacterTest = (point) => tests.some((one) => one(point)) !== negated;
  return { test, end: at + 1, cost: tests.length / membersInVisit };
}

/** Testing this many members costs as much as one visit. */
const membersInVisit = 8;

function classMember(text: string, at: number): CharacterSet | undefined {
  if (text[at] !== '\\') return literal(text, at);
  return text[at + 1] === 'b' ? single(8, at + 2) : characterEscape(text, at);
}

function between(first: number | undefined, last: number | undefined): CharacterTest | undefined {
  if (first === undefined || last === undefined || last < first) return undefined;
  return (point) => point >= first && point <= last;
}
