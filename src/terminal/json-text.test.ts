import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { jsonText } from './json-text.ts';

test('a plain document looks as JSON does', () => {
  expect(jsonText({ a: [1, 'é雪'] })).toBe('{\n  "a": [\n    1,\n    "é雪"\n  ]\n}\n');
});

test('T55, T56: invisible characters are escaped', () => {
  expect(jsonText('\u001b\u007f\u009b\u202e\u200b\u{e0041}\u2028')).toBe(
    '"\\u001b\\u007f\\u009b\\u202e\\u200b\\udb40\\udc41\\u2028"\n',
  );
});

test('a parser reads the same value, and no invisible character is left except line breaks', () => {
  const texts = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(fc.dictionary(texts, fc.oneof(texts, fc.array(texts))), (value) => {
      const text = jsonText(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}]/u);
    }),
  );
});
