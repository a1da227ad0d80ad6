import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { isCut, showLongText, showText } from './long-text.ts';

describe('T11: a text in a question', () => {
  test.each([
    ['node', 'node'],
    ['', '""'],
    [' a', '" a"'],
    ['a\t', '"a\\t"'],
    ['a\u001b[2K', 'a\\x1b[2K'],
    ['a'.repeat(19), 'a'.repeat(19)],
    ['a'.repeat(20), '⟨20 times a⟩'],
    [`x${' '.repeat(300)}y`, 'x⟨300 spaces⟩y'],
    ['\u202e'.repeat(25), '⟨25 times ⟨U+202E⟩⟩'],
    ['😀'.repeat(20), '⟨20 times 😀⟩'],
  ])('%j is shown as %s', (text, shown) => {
    expect(showText(text)).toBe(shown);
  });

  test('shows its length and its end from 481 characters on', () => {
    const words = Array.from({ length: 200 }, (_, index) => index).join(' ');
    expect(showLongText(words.slice(0, 480))).toBe(words.slice(0, 480));
    expect(showLongText(words)).toBe(
      `${words} (${words.length} characters, the last 80: "${words.slice(-80)}")`,
    );
  });

  test('is cut only when it is too long to read, with a note of how much is missing', () => {
    const words = Array.from({ length: 2000 }, (_, index) => index).join(' ');
    expect(showLongText(words)).toBe(
      `${words.slice(0, 3000)} ⟨${words.length - 3080} characters are not shown here⟩ (${words.length} characters, the last 80: "${words.slice(-80)}")`,
    );
    expect([isCut(words), isCut(words.slice(0, 4000)), isCut(' '.repeat(100_000))]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('never shows a character that cannot be seen, and never hides that another is there', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
        expect(showLongText(text)).not.toMatch(/[\p{Cc}\p{Cs}]/u);
      }),
    );
  });
});
