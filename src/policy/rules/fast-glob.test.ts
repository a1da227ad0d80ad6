import fc from 'fast-check';
import { expect, test } from 'vitest';

import { matchesGlob } from '../../agents/name-glob.ts';
import { compileGlob } from './fast-glob.ts';

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
