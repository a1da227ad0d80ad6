/** The one JSON vocabulary. */

import { expect, test } from 'vitest';
import { fieldOf, isObject, jsonTypeOf, parseObject, putField, stringsIn } from './json.ts';

test('an object is neither an array nor null', () => {
  expect([{}, Object.create(null), [], null, 'x', undefined].map(isObject)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('only a JSON object is parsed as one, also behind a byte order mark', () => {
  expect(parseObject('\uFEFF{"a":1}')).toEqual({ a: 1 });
  expect(['[1]', 'null', '"x"', '{', ''].map(parseObject)).toEqual(Array.from({ length: 5 }));
});

test('an inherited field is not a field', () => {
  expect(fieldOf({ a: 1 }, 'a')).toBe(1);
  expect(fieldOf({}, 'constructor')).toBeUndefined();
  const object: Record<string, unknown> = {};
  putField(object, '__proto__', 1);
  expect(fieldOf(object, '__proto__')).toBe(1);
  expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
});

test('items that are not strings are left out', () => {
  expect(stringsIn(['a', 1, null, 'b'])).toEqual(['a', 'b']);
  expect(stringsIn('a')).toEqual([]);
});

test('each value has a type of JSON Schema, or none', () => {
  expect([null, true, 1, 1.5, 'x', [], {}, undefined].map(jsonTypeOf)).toEqual([
    'null',
    'boolean',
    'integer',
    'number',
    'string',
    'array',
    'object',
    'none',
  ]);
});
