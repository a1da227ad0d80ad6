import fc from 'fast-check';
import { expect, test } from 'vitest';

import { compileGlob, matchesGlob } from './glob.ts';

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

test('a pattern that was taken apart matches what the pattern itself matches', () => {
  const text = (letters: readonly string[]): fc.Arbitrary<string> =>
    fc.array(fc.constantFrom(...letters), { maxLength: 8 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text(['a', 'b', '*', '?']), text(['a', 'b']), (pattern, name) => {
      expect(compileGlob(pattern)(name)).toBe(matchesGlob(pattern, name));
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ['ab', 'ab', true],
  ['ab', 'abc', false],
  ['', '', true],
  ['*', '', true],
  ['a*', 'a', true],
  ['a*', 'ba', false],
  ['*b', 'ab', true],
  ['*b', 'ba', false],
  ['ab*ba', 'aba', false],
  ['ab*ba', 'abba', true],
  ['a*b', 'b', false],
  ['a**b', 'acb', true],
  ['a***b', 'ab', true],
  ['a*m*b', 'amb', true],
  ['a*m*b', 'axb', false],
  ['a*m*b', 'xamb', false],
  ['a*m*b', 'ambx', false],
  ['*m*', 'xmx', true],
  ['*m*', 'xx', false],
  ['a*aa*', 'aa', false],
  ['a*aa*', 'aaa', true],
  ['*aa*aa*', 'aaa', false],
  ['*aa*aa*', 'aaaa', true],
  ['*ab*b', 'ab', false],
  ['*ab*b', 'abb', true],
  ['ab*c*bd', 'abd', false],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['a?*', 'ab', true],
])('%j on %j: %s', (pattern, name, expected) => {
  expect(compileGlob(pattern)(name)).toBe(expected);
});
