import { describe, expect, test } from 'vitest';

import { wrapLines } from './wrap.ts';

describe('wrapLines', () => {
  test('breaks at blanks and indents continuations further than the line', () => {
    expect(wrapLines(['  one two three', 'four'], 9)).toEqual(['  one two', '    three', 'four']);
  });

  test('never breaks a word, and leaves short lines as they are', () => {
    expect(wrapLines(['see https://example.test/long now', ' a   b'], 12)).toEqual([
      'see',
      '  https://example.test/long',
      '  now',
      ' a   b',
    ]);
  });

  test('changes nothing where no terminal shows the lines', () => {
    expect(wrapLines(['a\nb', 'c'], Infinity)).toEqual(['a\nb', 'c']);
  });
});
