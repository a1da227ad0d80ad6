/** Columns that texts take. */

import { expect, test } from 'vitest';

import { displayWidth } from './wrap.ts';

test.each([
  ['', 0],
  ['plain', 5],
  ['größe', 5],
  ['gro\u0308ße', 5],
  ['日本語', 6],
  ['한국어', 6],
  ['ｆｕｌｌ', 8],
  ['ｶﾅ', 2],
  ['→ …', 3],
  ['⟨U+202E⟩', 8],
  ['🚀', 2],
  ['✅', 2],
  ['❤', 1],
  ['❤\ufe0f', 2],
  ['1\ufe0f\u20e3', 1],
  ['👍🏽', 2],
  ['👩‍🚀', 2],
  ['👨‍👩‍👧', 2],
  ['🇩🇪', 2],
  ['क्षि', 2],
  ['a\u200bb', 2],
  ['\u001b[31mred\u001b[39m', 3],
])('%j takes %i columns', (text, columns) => {
  expect(displayWidth(text)).toBe(columns);
});
