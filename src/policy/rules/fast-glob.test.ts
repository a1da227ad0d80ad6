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
