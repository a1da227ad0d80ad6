import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { foldName } from './fold-name.ts';

describe('folded names', () => {
  test.each([
    ['case', 'GitHub', 'github'],
    ['width', 'ｇｉｔhub', 'github'],
    ['an accent', 'gïthüb', 'github'],
    ['an accent of its own', 'gi\u0308thub', 'github'],
    ['a zero-width space', 'git\u200bhub', 'github'],
    ['a soft hyphen', 'git\u00adhub', 'github'],
    ['a tag character', 'github\u{e0041}', 'github'],
    ['a direction mark', '\u202egithub', 'github'],
    ['a control character', 'git\u0007hub', 'github'],
    ['half a character', 'git\ud800hub', 'github'],
    ['Cyrillic letters', 'рауpаl', 'paypal'],
    ['Cyrillic capitals', 'РАУРАL', 'paypal'],
    ['Greek capitals', 'ΗΟΜΕ_ΝΥ', 'home_ny'],
    ['Greek small letters', 'ηοτε_ν', 'note_v'],
    ['Armenian letters', 'սոօ', 'uno'],
    ['mathematical letters', '𝗀𝗂𝗍𝗁𝗎𝖻', 'github'],
    ['a ligature', 'ﬁle', 'file'],
    ['the sharp s', 'Straße', 'strasse'],
    ['the dotted and the dotless i', 'İı', 'ii'],
    ['a hyphen', 'read–file', 'read-file'],
    ['a slash', 'a∕b', 'a/b'],
    ['a low line', 'read＿file', 'read_file'],
  ])('do not differ by %s', (_what, text, folded) => {
    expect(foldName(text)).toBe(folded);
  });

  test.each([
    ['read', 'reed'],
    ['l', '1'],
    ['O', '0'],
    ['a_b', 'a-b'],
    ['поиск', 'запись'],
    ['文件', '数据'],
    ['a b', 'ab'],
  ])('differ for %s and %s', (left, right) => {
    expect(foldName(left)).not.toBe(foldName(right));
  });

  test('fold into themselves, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(foldName(foldName(text))).toBe(foldName(text));
      }),
      { numRuns: 2000 },
    );
  });
});
