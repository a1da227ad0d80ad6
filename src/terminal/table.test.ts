/** Rows become aligned lines. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { displayWidth } from './wrap.ts';
import { createStyle } from './style.ts';
import { formatTable } from './table.ts';

describe('formatTable', () => {
  test('starts columns under each other and leaves the last one unpadded', () => {
    const rows = [
      ['NAME', 'TRANSPORT', 'CONNECT'],
      ['fs', 'stdio', 'fs-server --root /tmp'],
      ['a-long-name', 'http', 'https://x.example/mcp'],
    ];
    expect(formatTable(rows)).toEqual([
      'NAME         TRANSPORT  CONNECT',
      'fs           stdio      fs-server --root /tmp',
      'a-long-name  http       https://x.example/mcp',
    ]);
  });

  test('measures the displayed width, not the number of characters', () => {
    const { red } = createStyle({ isTerminal: true, env: {} });
    expect(
      formatTable([
        ['日本', 'x'],
        ['abcd', 'y'],
        [red('ab'), 'z'],
      ]),
    ).toEqual(['日本  x', 'abcd  y', `${red('ab')}    z`]);
  });

  test('ends no line with padding, also where cells are empty or missing', () => {
    expect(formatTable([['a', 'b', 'c'], ['long', '', ''], ['x'], [], ['', 'y', '']])).toEqual([
      'a     b  c',
      'long',
      'x',
      '',
      '      y',
    ]);
  });

  test('cuts nothing and aligns every cell with its column', () => {
    const cell = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((text) => `<${text}>`);
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 6 }), (rows) => {
        const lines = formatTable(rows);
        const starts = lines.map((line, index) => {
          const [first = '', second = '', third = ''] = rows[index] ?? [];
          expect(line.startsWith(first)).toBe(true);
          expect(line.endsWith(`  ${third}`)).toBe(true);
          return displayWidth(line.slice(0, line.lastIndexOf(second, line.length - third.length - 1)));
        });
        expect(new Set(starts).size).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('wraps cells at blanks where the terminal is too narrow', () => {
    const rows = [
      ['NAME', 'STATE', 'WHAT'],
      ['one', 'ready', 'a sentence that is too long for the line'],
      ['two', 'off', 'short'],
    ];
    expect(formatTable(rows, 34)).toEqual([
      'NAME  STATE  WHAT',
      'one   ready  a sentence that is',
      '             too long for the line',
      'two   off    short',
    ]);
  });

  test('gives a cell that does not fit beside the others lines of its own, and breaks no word', () => {
    const file = '/a/path/of/more/than/twenty/signs.json';
    expect(
      formatTable(
        [
          ['NAME', 'FILE', 'AGENT'],
          ['one', file, 'cursor'],
        ],
        42,
      ),
    ).toEqual(['NAME  AGENT', '    FILE', 'one   cursor', `    ${file}`]);
    expect(formatTable([['url', file]], 42)).toEqual([`url`, `    ${file}`]);
    const wider = 'x'.repeat(60);
    expect(formatTable([['url', wider]], 42)).toEqual([`url`, `    ${wider}`]);
  });

  test('paints each line of a wrapped cell by itself', () => {
    const { red } = createStyle({ isTerminal: true, env: {} });
    expect(formatTable([['label', red('two words')]], 12)).toEqual([
      `label  ${red('two')}`,
      `       ${red('words')}`,
    ]);
  });

  test('puts notes below their rows, whatever the width', () => {
    expect(formatTable([['a', 'b'], ['c']], undefined, ['', 'sha256:0'])).toEqual([
      'a  b',
      'c',
      '    sha256:0',
    ]);
  });

  test('fits every width of a terminal as far as words allow, and loses no word', () => {
    const words = fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 9 }), {
      maxLength: 8,
    });
    const cell = words.map((all) => all.map((word) => word.replaceAll(/\s/g, '_')).join(' '));
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { maxLength: 6 }), { maxLength: 5 }),
        fc.integer({ min: 60, max: 120 }),
        (rows, columns) => {
          const lines = formatTable(rows, columns);
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
          const sorted = (text: string): readonly string[] => text.split(/\s+/).toSorted();
          expect(sorted(lines.join(' ').trim())).toEqual(sorted(rows.flat().join(' ').trim()));
        },
      ),
    );
  });
});
