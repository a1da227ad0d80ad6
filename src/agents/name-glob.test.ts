import { expect, test } from 'vitest';

import { matchesGlob } from './name-glob.ts';

test.each([
  ['*', '', true],
  ['*', 'anything', true],
  ['db-*', 'db-one', true],
  ['db-*', 'web', false],
  ['*-two', 'db-two', true],
  ['d?-*', 'db-two', true],
  ['d?', 'd', false],
  ['a*b*c', 'axxbyyc', true],
  ['a*b*c', 'axxbyy', false],
  ['a.c', 'abc', false],
  ['', '', true],
  ['', 'a', false],
])('the pattern %j and the name %j: %s', (pattern, name, expected) => {
  expect(matchesGlob(pattern, name)).toBe(expected);
});

test('a hostile pattern does not stall', () => {
  expect(matchesGlob(`${'*a'.repeat(50)}b`, 'a'.repeat(5000))).toBe(false);
});
