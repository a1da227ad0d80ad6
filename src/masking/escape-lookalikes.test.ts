/** Letters that pass for others are shown where one letter decides. */

import { describe, expect, test } from 'vitest';

import { escapeLookalikes } from './escape-lookalikes.ts';

describe('T11: look-alikes are made visible', () => {
  test.each([
    ['g\u0456thub', 'g⟨U+0456⟩thub'],
    ['\u0440\u0430\u0443\u0440al.com', '⟨U+0440⟩⟨U+0430⟩⟨U+0443⟩⟨U+0440⟩al.com'],
    ['\u0441\u043e\u0440\u0443', '⟨U+0441⟩⟨U+043E⟩⟨U+0440⟩⟨U+0443⟩'],
    ['giтhub', 'gi⟨U+0442⟩hub'],
    ['ｎｐｘ', '⟨U+FF4E⟩⟨U+FF50⟩⟨U+FF58⟩'],
    ['a\u00a0b', 'a⟨U+00A0⟩b'],
    ['\u2010\u2010root', '⟨U+2010⟩⟨U+2010⟩root'],
    ['https:\u2215\u2215x', 'https:⟨U+2215⟩⟨U+2215⟩x'],
    ['a\u200bb\u001b', 'a⟨U+200B⟩b\\x1b'],
  ])('%j', (text, shown) => {
    expect(escapeLookalikes(text)).toBe(shown);
  });

  test.each([
    'npx -y @acme/x@1.2',
    '/home/jürgen/größe',
    'документы',
    '/srv/файл2/данные',
    '日本語',
    'ελληνικά',
    '🚀',
  ])('%s stays readable', (text) => {
    expect(escapeLookalikes(text)).toBe(text);
  });
});
