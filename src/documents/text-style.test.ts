import { expect, test } from 'vitest';

import {
  detectEol,
  detectIndent,
  indentAt,
  isFirstOnLine,
  lineEndAt,
  lineStartAt,
  nextLineAt,
} from './text-style.ts';

test.each([
  ['', '  '],
  ['{"a": 1}', '  '],
  ['{\n\t"a": 1\n}', '\t'],
  ['{\n    "a": {\n        "b": 1\n    }\n}', '    '],
  ['{\n /* x\n      * y */\n   "a": 1\n}', ' '],
  ['a = 1\n\n   # comment\nb:\n  c: 1\n', '  '],
  ['{\r\n   "a": 1\r\n}', '   '],
])('the indentation of %j is %j', (text, indent) => {
  expect(detectIndent(text)).toBe(indent);
});

test.each([
  ['', '\n'],
  ['a', '\n'],
  ['a\nb\r\n', '\n'],
  ['a\r\nb\n', '\r\n'],
])('the line break of %j is %j', (text, eol) => {
  expect(detectEol(text)).toBe(eol);
});

test('every offset knows its line', () => {
  const text = 'ab\r\n  cd\n';
  expect([0, 2, 4, 7, 9].map((at) => lineStartAt(text, at))).toEqual([0, 0, 4, 4, 9]);
  expect([0, 2, 4, 7, 9].map((at) => lineEndAt(text, at))).toEqual([2, 2, 8, 8, 9]);
  expect([0, 4, 9].map((at) => nextLineAt(text, at))).toEqual([4, 9, 9]);
  expect(indentAt(text, 7)).toBe('  ');
  expect([4, 6, 7].map((at) => isFirstOnLine(text, at))).toEqual([true, true, false]);
});
