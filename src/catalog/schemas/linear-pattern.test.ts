import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linearPattern } from './linear-pattern.ts';

const matches = (pattern: string, text: string): boolean | undefined | 'unknown' => {
  const match = linearPattern(pattern);
  const found = match === undefined ? 'unknown' : match(text, { left: 1_000_000 });
  if (found instanceof Promise) throw new Error('there was nothing to wait for');
  return found;
};

const atom = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  String.raw`\d`,
  String.raw`\w`,
  '^',
  '$',
  'c',
  String.raw`\b`,
  'é',
  '😀',
);
const pattern = fc.letrec<{ whole: string; part: string }>((tie) => ({
  whole: fc.array(tie('part'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc
      .tuple(tie('whole'), fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?'))
      .map(([inner, count]) => `(${inner})${count}`),
    fc.tuple(tie('whole'), tie('whole')).map(([left, right]) => `(?:${left}|${right})`),
  ),
})).whole;

test('a pattern matches exactly what the built-in matcher says it matches', () => {
  fc.assert(
    fc.property(
      pattern,
      fc.array(fc.constantFrom('a', 'b', 'c', '1', ' ', '_', 'é', '😀', '\n'), { maxLength: 8 }),
      (source, letters) => {
        const text = letters.join('');
        const found = matches(source, text);
        // A pattern that would be too much work is not tried at all.
        fc.pre(found !== 'unknown');
        expect([source, text, found]).toEqual([source, text, new RegExp(source, 'u').test(text)]);
      },
    ),
    { numRuns: 600 },
  );
});

test.each([
  [String.raw`^[\w.-]+@[\w-]+\.[a-z]{2,}$`, 'ada@example.org', true],
  [String.raw`^[\w.-]+@[\w-]+\.[a-z]{2,}$`, 'ada@example', false],
  [String.raw`^\d{4}-\d{2}-\d{2}$`, '2026-11-16', true],
  [String.raw`^\p{Lu}\p{Ll}*$`, 'Éa', true],
  [String.raw`^[^\s/]+/[^\s/]+$`, 'owner/name', true],
  [String.raw`^[a-z\-\]]+$`, 'a-]', true],
  [String.raw`^(?<year>\d+)$`, '12', true],
  [String.raw`^\u{1F600}\x41A$`, '😀AA', true],
  ['^[]$', ']', false],
  ['^$', '', true],
])('%s against %j is %s', (source, text, expected) => {
  expect(matches(source, text)).toBe(expected);
});

test.each([
  '^(?!a)b',
  '(?<=a)b',
  String.raw`(a)\1`,
  '(',
  'a**',
  '[b-a]',
  String.raw`\k<x>`,
  'a{3,1}',
  '(?i)a',
])('%s is said to be not understood', (source) => {
  expect(matches(source, 'aaa')).toBe('unknown');
});

test('T84 a catastrophic pattern is decided at once', () => {
  const startedAt = process.cpuUsage();

  expect(matches('(a+)+$', `${'a'.repeat(40)}!`)).toBe(false);
  expect(matches('^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(2000))).toBe(false);
  expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(500);
});

test('T84 a pattern that multiplies itself and a text without end are given up on, not waited for', () => {
  expect(matches('((((a{99}){99}){99}){99}){99}', 'a')).toBe('unknown');
  expect(matches('('.repeat(5000), 'a')).toBe('unknown');
  expect(matches('(a|b|c|d|e)*z', 'abc'.repeat(200_000))).toBe(undefined);
});

test('T84 a pattern that repeats nothing without end, or has a class of thousands, is charged for its work', () => {
  expect(matches('(?:(?:){999999}){999999}', 'a')).toBe('unknown');
  const startedAt = process.cpuUsage();
  const members = Array.from({ length: 9000 }, (_, at) => String.fromCodePoint(0x4e_00 + at)).join('');
  expect(matches(`^[${members}]*$`, members.slice(-1).repeat(100_000))).toBe(undefined);
  expect(matches(`^[${members}]*$`, members.slice(-1).repeat(100))).toBe(true);
  expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(500);
});
