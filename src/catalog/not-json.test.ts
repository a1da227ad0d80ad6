/** Tests of what JSON has no word for: it is found, with its place, and everything else passes. */

import { describe, expect, test } from 'vitest';

import { checkArguments, notJson } from './check-arguments.ts';

const circle: Record<string, unknown> = { text: 'a' };
circle['inner'] = { list: [circle] };
const nested = (levels: number): unknown => {
  let value: unknown = 'core';
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
};
const twice = { a: 1 };

describe('what cannot be sent is found', () => {
  const cases: readonly (readonly [string, unknown, string, string])[] = [
    ['a BigInt', { a: { b: [0, 1n] } }, 'a.b[1]', 'number or string'],
    ['a circle', circle, 'inner.list[0]', 'a value that does not contain itself'],
    ['NaN', { n: Number.NaN }, 'n', 'a finite number'],
    ['an infinity', { n: [Number.NEGATIVE_INFINITY] }, 'n[0]', 'a finite number'],
    ['a function', { run: () => 1 }, 'run', 'JSON'],
    ['a symbol', { s: Symbol('s') }, 's', 'JSON'],
    ['a hole in a list', { list: [1, undefined] }, 'list[1]', 'JSON'],
    ['what cannot say how it is written', { a: { toJSON: () => 1n } }, 'a', 'JSON'],
    ['more levels than anybody can follow', nested(100_000), '(root)', 'fewer levels'],
  ];
  test.each(cases)('%s', (_name, value, path, expected) => {
    expect(notJson(value)).toEqual({ path, expected });
  });
});

test('what JSON can say passes, also deep, twice, left out, or by words of its own', () => {
  const fine = {
    a: [1, 'b', null, true],
    c: { d: undefined },
    at: new Date(0),
    deep: nested(500),
    twice,
    two: twice,
  };
  expect(notJson(fine)).toBeUndefined();
});

test('arguments that cannot be sent fit no schema, not even one that asks for nothing', () => {
  expect(checkArguments({}, { n: Number.NaN })).toEqual({
    kind: 'invalid',
    errors: [{ path: 'n', expected: 'a finite number' }],
  });
});
