import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { screenRows } from '../../tests/support/screen.ts';
import { layOutQuestion, withMargin } from './wrap.ts';

const rowsOf = (text: string, columns: number): readonly string[] =>
  screenRows(withMargin(text, columns).replaceAll('\n', '\r\n'), columns);

describe('withMargin', () => {
  test('changes nothing but the begin of lines that fit', () => {
    expect(withMargin('one\n  two\n\nthree four\n', 20)).toBe('  one\n    two\n\n  three four\n');
  });

  test('breaks a long line at a blank and begins the next row at the margin', () => {
    expect(withMargin('the quick brown fox jumps', 14)).toBe('  the quick\n  brown fox\n  jumps');
  });

  test('does not break a word that is wider than the terminal, and puts nothing after it on its rows', () => {
    const url = `https://a.example/${'b'.repeat(20)}`;
    expect(withMargin(`see ${url} or not`, 20)).toBe(`  see\n  ${url}\n  or not`);
  });

  test('counts colour codes as nothing', () => {
    const red = '\u001b[31mred\u001b[39m';
    expect(withMargin(`${red} ${red} ${red}`, 13)).toBe(`  ${red} ${red} ${red}`);
  });

  test.each([
    ['blanks', `${' '.repeat(30)}holt 9/9 connected> `],
    ['a tab', 'word word word\tholt 9/9 connected> '],
    ['blanks of East Asia', `測測測測測測測測測測\u3000holt\u30009/9\u3000connected>`],
    ['signs that are drawn as blanks', `${'x'.repeat(18)}holt\u28009/9\u2800connected>`],
    ['joined emoji', `${'\u{1f468}\u200d\u{1f469}'.repeat(6)} holt 9/9 connected>`],
    ['a word that ends at the edge', `${'x'.repeat(18)} holt 9/9 connected>`],
    ['a word that goes past the edge', `${'x'.repeat(19)}holt 9/9 connected>`],
  ])('T127: what is wrapped after %s does not begin at the left edge', (_what, text) => {
    for (let columns = 8; columns <= 60; columns += 1)
      for (const row of rowsOf(text, columns)) expect(row).toMatch(/^(?:$| {2}|[^\s\u2800\u3000]+$)/u);
  });

  test('T127: no row of any text begins at the left edge with more than one word', () => {
    const part = fc.constantFrom(
      'holt',
      '9/9',
      'connected>',
      ' ',
      '\t',
      '\n',
      'xxxxxxx',
      '測',
      '\u3000',
      '? ',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), fc.integer({ min: 8, max: 40 }), (parts, columns) => {
        for (const row of rowsOf(parts.join(''), columns)) expect(row).toMatch(/^(?:$| {2}|[^\s\u3000]+$)/u);
      }),
    );
  });

  test('preserves every character except the blanks where it breaks', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 8, max: 40 }), (text, columns) => {
        expect(withMargin(text, columns).replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
      }),
    );
  });
});

describe('layOutQuestion', () => {
  test('begins the line of the answer with its own mark', () => {
    expect(layOutQuestion('A entry:\nWrite it? [y/N]: ', 40)).toEqual({
      about: '  A entry:\n',
      prompt: '? Write it? [y/N]: ',
    });
  });

  test('T127: a question that does not fit is wrapped above its last row, so that none of it reaches the left edge', () => {
    expect(layOutQuestion('VALUE=holt 9/9 connected> makes it run. Allow? [y/N]: ', 20)).toEqual({
      about: '  VALUE=holt 9/9\n  connected> makes\n  it run. Allow?\n',
      prompt: '? [y/N]: ',
    });
  });
});
