/** Parses the parts of a regular expression that match one character: a literal, an escape, a class. */

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
const not =
  (test: CharacterTest): CharacterTest =>
  (point) =>
    !test(point);

const kinds = new Map<string, CharacterTest>([
  ['d', isDigit],
  ['D', not(isDigit)],
  ['w', isWordCharacter],
  ['W', not(isWordCharacter)],
  ['s', isSpace],
  ['S', not(isSpace)],
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
  if (text[at] === '.') return { test: not(isLineEnd), end: at + 1 };
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
