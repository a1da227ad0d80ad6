/** Rows become aligned lines. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { displayWidth } from './display-width.ts';
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

  test('measures by what is seen, not by characters', () => {
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

  test('cuts nothing and keeps every cell in its column', () => {
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
});
