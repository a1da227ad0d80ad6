import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { cpuMs } from '../../tests/support/cpu-time.ts';
import { hasEdgeBlanks, showEdgeBlanks, trimBlanks } from './edge-blanks.ts';

const blanks = [
  0x09,
  0x0a,
  0x0d,
  0x20,
  0x85,
  0xa0,
  0xad,
  0x034f,
  0x061c,
  0x115f,
  0x1160,
  0x1680,
  0x17b4,
  0x180e,
  ...Array.from({ length: 16 }, (_, index) => 0x2000 + index),
  0x2028,
  0x2029,
  0x202f,
  0x205f,
  0x2060,
  0x2064,
  0x2800,
  0x3000,
  0x3164,
  0xfe00,
  0xfeff,
  0xffa0,
  0x1d159,
  0xe0001,
  0xe0020,
  0xe0100,
].map((point) => String.fromCodePoint(point));

describe('blanks at the ends of a name', () => {
  test.each(blanks)('%j is one', (blank) => {
    for (const text of [`${blank}name`, `name${blank}`, `${blank} ${blank}name${blank}\u200b`]) {
      expect([trimBlanks(text), hasEdgeBlanks(text)]).toEqual(['name', true]);
      expect(showEdgeBlanks(text)).toMatch(/^[!-~⟨⟩]+$/);
    }
    expect(trimBlanks(blank)).toBe('');
  });

  test.each(['name', 'my name', 'größe', 'नमस्ते', '日本語', 'love_❤️', '👍🏽', '1️⃣', ''])(
    '%j has none',
    (text) => {
      expect([trimBlanks(text), hasEdgeBlanks(text), showEdgeBlanks(text)]).toEqual([text, false, text]);
    },
  );

  test('are shown by their code', () => {
    expect(showEdgeBlanks(' a b\u00a0\t')).toBe(String.raw`⟨U+0020⟩a b⟨U+00A0⟩\x09`);
  });

  test('trimming twice changes nothing more', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(trimBlanks(trimBlanks(text))).toBe(trimBlanks(text));
      }),
    );
  });

  test('long runs of blanks within a name cost linear time', () => {
    const cost = (length: number): number => {
      const text = `é${' '.repeat(length)}é${' '.repeat(length)}`;
      const before = cpuMs();
      expect(trimBlanks(text)).toHaveLength(length + 2);
      return cpuMs() - before;
    };
    cost(50_000);
    expect(cost(400_000)).toBeLessThan(Math.max(5, cost(50_000)) * 40);
  });
});
