/** Foreign text cannot move the cursor, turn the line round or hide. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { countHidden, escapeBlock, escapeLine } from './escape-text.ts';

const esc = '\u001b';
const bell = '\u0007';
const terminator = `${esc}\\`;

/** Sequences that do something in one terminal or another. */
const vectors = {
  colour: `${esc}[31mred${esc}[0m`,
  eraseLine: `${esc}[2K`,
  cursorUp: `${esc}[10A`,
  title: `${esc}]0;title${bell}`,
  clipboard: `${esc}]52;c;ZXZpbA==${terminator}`,
  link: `${esc}]8;;https://evil.example${terminator}text${esc}]8;;${terminator}`,
  unterminated: `${esc}]0;never ends`,
  deviceControl: `${esc}P+q544e${terminator}`,
  application: `${esc}_Gf=100;AAAA${terminator}`,
  privacy: `${esc}^x${terminator}`,
  reset: `${esc}c`,
  eightBitControl: '\u009b31m',
  eightBitString: '\u009d0;title\u009c',
  carriageReturn: 'harmless\rdanger',
  backspace: 'rm\b\bls',
  delete: 'a\u007fb',
  nul: 'a\0b',
  nextLine: 'a\u0085b',
  shiftOut: '\u000e\u000f',
};

/** Characters that are not seen, or that change how others are seen. */
const unseen = [
  0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x202a,
  0x202b, 0x202c, 0x202d, 0x202e, 0x2028, 0x2029, 0x2060, 0x2061, 0x2064, 0x2066, 0x2067, 0x2068, 0x2069,
  0x206a, 0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffb, 0xfffe, 0x1d173, 0xe0001, 0xe0041, 0xe007f,
  0xe0100, 0xe01ef,
];

const anything = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
});

describe('T55: control sequences are shown, not obeyed', () => {
  test.each(Object.entries(vectors))('%s', (_, text) => {
    for (const shown of [escapeLine(text), escapeBlock(text)]) {
      expect(shown).not.toMatch(/\p{Cc}/u);
      expect(shown).toMatch(/\\x[\da-f]{2}/);
    }
  });

  test('each control keeps its number', () => {
    expect(escapeLine('a\u001b[2K\u0000\u007f\u009b\rb')).toBe(String.raw`a\x1b[2K\x00\x7f\x9b\x0db`);
  });

  test('no byte of a control is left of any text', () => {
    const controls = fc.string({
      unit: fc.integer({ min: 0, max: 0x9f }).map((unit) => String.fromCharCode(unit)),
    });
    fc.assert(
      fc.property(fc.oneof(anything, controls), (text) => {
        expect(escapeLine(text)).not.toMatch(/\p{Cc}/u);
        expect(escapeBlock(text)).not.toMatch(/(?![\n\t])\p{Cc}/u);
      }),
    );
  });
});

describe('T56: invisible characters are shown', () => {
  test.each(unseen)('%i', (point) => {
    const name = point.toString(16).toUpperCase().padStart(4, '0');
    const text = `a${String.fromCodePoint(point)}b`;
    expect([escapeLine(text), escapeBlock(text), countHidden(text)]).toEqual([
      `a⟨U+${name}⟩b`,
      `a⟨U+${name}⟩b`,
      1,
    ]);
  });

  test('a sentence in tag characters can be seen and counted', () => {
    const hidden = Array.from('run rm', (letter) =>
      String.fromCodePoint(0xe0000 + letter.charCodeAt(0)),
    ).join('');
    expect(escapeLine(`ok${hidden}`)).toBe('ok⟨U+E0072⟩⟨U+E0075⟩⟨U+E006E⟩⟨U+E0020⟩⟨U+E0072⟩⟨U+E006D⟩');
    expect(countHidden(`ok${hidden}`)).toBe(6);
  });

  test('data in variation selectors behind an emoji is shown but for the one that belongs to it', () => {
    expect(escapeLine('😀\ufe0f\ufe01\u{e0110}')).toBe('😀\ufe0f⟨U+FE01⟩⟨U+E0110⟩');
  });

  test('half a surrogate pair is shown', () => {
    expect(escapeLine('a\ud83db\udc00')).toBe('a⟨U+D83D⟩b⟨U+DC00⟩');
  });
});

test('T11: padding, erasing and turning round leave every character to be seen', () => {
  const argument = `safe${' '.repeat(10_000)}\r${esc}[2K\u202etxt.exe`;
  expect(escapeLine(argument)).toBe(`safe${' '.repeat(10_000)}${String.raw`\x0d\x1b[2K`}⟨U+202E⟩txt.exe`);
});

describe('ordinary text', () => {
  test.each([
    'plain',
    'größe',
    'naïve café',
    '日本語',
    'Привет',
    'مرحبا',
    '👩‍🚀',
    '❤️',
    '👍🏽',
    '1️⃣',
    '→ … “quoted”',
    'C:\\x1b',
  ])('%s stays as it is', (text) => {
    expect([escapeLine(text), escapeBlock(text), countHidden(text)]).toEqual([text, text, 0]);
  });

  test('line breaks and tabs stay in blocks and are shown in lines', () => {
    const text = 'one\n\ttwo\r\nthree\r';
    expect(escapeBlock(text)).toBe('one\n\ttwo\nthree\\x0d');
    expect(escapeLine(text)).toBe(String.raw`one\n\ttwo\x0d\nthree\x0d`);
    expect(countHidden(text)).toBe(0);
  });

  test('escaping twice changes nothing more', () => {
    fc.assert(
      fc.property(anything, (text) => {
        expect(escapeLine(escapeLine(text))).toBe(escapeLine(text));
        expect(escapeBlock(escapeBlock(text))).toBe(escapeBlock(text));
      }),
    );
  });
});
