import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { JsonValue } from '../kernel/json.ts';
import { parseJson } from './json.ts';
import { dig, toValue, type Document } from './tree.ts';
import { cpuMs } from '../../tests/support/cpu-time.ts';

const plain = { bom: false, utf16: false };

function read(text: string): JsonValue | undefined {
  const document = parseJson(text, plain);
  if (!document.ok) throw new Error(`${document.message} at ${document.offset}`);
  return document.root === undefined ? undefined : toValue(document.root);
}

function fault(text: string): [string, string, number] {
  const document = parseJson(text, plain);
  if (document.ok) throw new Error('the text was read');
  return [document.reason, document.message, document.offset];
}

function liberties(document: Document): unknown {
  return document.ok ? document.liberties : undefined;
}

test('comments are skipped and noted', () => {
  const text = '// head\n{ /* in */ "a": 1 // tail\n}\n// end';
  expect(read(text)).toEqual({ a: 1 });
  expect(liberties(parseJson(text, plain))).toEqual({
    bom: false,
    utf16: false,
    comments: true,
    trailingCommas: false,
  });
});

test('slashes and commas inside strings are no comments and no trailing commas', () => {
  const text = '{"a": "http://x/*y*/,]"}';
  expect(read(text)).toEqual({ a: 'http://x/*y*/,]' });
  expect(liberties(parseJson(text, { bom: true, utf16: true }))).toEqual({
    bom: true,
    utf16: true,
    comments: false,
    trailingCommas: false,
  });
});

test.each(['{"a": 1,}', '[1, ]', '{"a": [1,\n// x\n]}'])(
  'a trailing comma in %j is read and noted',
  (text) => {
    expect(liberties(parseJson(text, plain))).toMatchObject({ trailingCommas: true });
  },
);

test.each(['[,]', '{,}', '[1,,2]', '{"a":1,,}'])('a comma without a value in %j is refused', (text) => {
  expect(fault(text)[0]).toBe('syntax');
});

test('a key written twice is there twice, and the last one counts', () => {
  const document = parseJson('{"a": 1, "b": 2, "a": 3}', plain);
  const root = document.ok ? document.root : undefined;
  expect(root?.kind === 'object' ? root.entries.map(({ key, keyStart }) => [key, keyStart]) : []).toEqual([
    ['a', 1],
    ['b', 9],
    ['a', 17],
  ]);
  expect(read('{"a": 1, "b": 2, "a": 3}')).toEqual({ a: 3, b: 2 });
});

test('reserved names are keys like any other', () => {
  const value = read('{"__proto__": {"x": 1}, "constructor": 2}');
  expect(Object.entries(value ?? {})).toEqual([
    ['__proto__', { x: 1 }],
    ['constructor', 2],
  ]);
  expect(Object.getPrototypeOf(value)).toBeNull();
  expect('x' in {}).toBe(false);
});

test('64 levels are read, 65 are refused', () => {
  expect(parseJson('['.repeat(64) + ']'.repeat(64), plain).ok).toBe(true);
  expect(fault('['.repeat(65) + ']'.repeat(65))).toEqual(['too-deep', 'nested deeper than 64 levels', 64]);
  expect(fault('{"a":'.repeat(65))).toEqual(['too-deep', 'nested deeper than 64 levels', 320]);
});

test.each(['[', '{"a":', '[{"a":'])('100,000 levels of %j are refused at once', (opening) => {
  const startedAt = cpuMs();
  expect(fault(opening.repeat(100_000))[0]).toBe('too-deep');
  expect(cpuMs() - startedAt).toBeLessThan(200);
});

test.each([
  ['{"a": "b', 'a string that does not end', 6],
  ['{"a": "b\n"}', 'a string that does not end', 6],
  [String.raw`"a\"`, 'a string that does not end', 0],
  [String.raw`["\x41"]`, 'a string with an invalid character or escape', 1],
  ['"tab\there"', 'a string with an invalid character or escape', 0],
  ['"nul\u0000"', 'a string with an invalid character or escape', 0],
  ['{"a": 1', 'the text ends too early', 7],
  ['{"a"', '":" is missing after a property name', 4],
  ['{a: 1}', 'a property name in double quotes is missing', 1],
  ['{"a": }', 'unexpected "}"', 6],
  ['{"a": 1 "b": 2}', '"," or "}" is missing', 8],
  ['[1 2]', '"," or "]" is missing', 3],
  ['{} {}', 'text after the end of the value', 3],
  ['/* x', 'a comment that does not end', 0],
  ['/x', 'unexpected "/"', 0],
  ['{"a": \u0000}', 'unexpected "\\u0000"', 6],
  ['01', 'text after the end of the value', 1],
  ['nul', 'unexpected "n"', 0],
  ['-', 'unexpected "-"', 0],
])('%j is refused: %s', (text, message, offset) => {
  expect(fault(text)).toEqual(['syntax', message, offset]);
});

test.each(['', ' \r\n\t', '// only a comment', '/* x */ '])('%j has no root', (text) => {
  expect(parseJson(text, plain)).toMatchObject({ ok: true, root: undefined });
});

test('offsets point at keys and values', () => {
  const text = '{\r\n  "ä😀": {"b": [true, -1.5e2, null]}\r\n}';
  const document = parseJson(text, plain);
  const root = document.ok ? document.root : undefined;
  const list = dig(root, ['ä😀', 'b']);
  const items = list?.kind === 'array' ? list.items : [];
  expect(items.map(({ start, end }) => text.slice(start, end))).toEqual(['true', '-1.5e2', 'null']);
  expect(text.slice(list?.start, list?.end)).toBe('[true, -1.5e2, null]');
  expect(root).toMatchObject({ start: 0, end: text.length, entries: [{ keyStart: 5 }] });
});

test('whatever JSON.stringify writes is read as the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(JSON.stringify(read(text))).toBe(JSON.stringify(JSON.parse(text)));
    }),
    { numRuns: 500 },
  );
});

test('no text makes it throw', () => {
  const pieces = fc.constantFrom(
    ...'{}[]",:\\/*-1.e\n\u0000 '.split(''),
    '"a"',
    'true',
    'null',
    '//',
    '/*',
    '*/',
    '\ufeff',
  );
  const soup = fc.array(pieces, { maxLength: 40 }).map((list) => list.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), soup), (text) => {
      const document = parseJson(text, plain);
      expect(document.ok || document.offset <= text.length).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('a string of 8 million characters is read', () => {
  expect(read(JSON.stringify('x'.repeat(8_000_000)))).toHaveLength(8_000_000);
});
