/** When there is colour. */

import { describe, expect, test } from 'vitest';

import { createStyle, type StyleOptions } from './style.ts';

const isColoured = (isTerminal: boolean, env: StyleOptions['env'] = {}): boolean =>
  createStyle({ isTerminal, env }).red('x') !== 'x';

describe('createStyle', () => {
  test('colours on a terminal', () => {
    const style = createStyle({ isTerminal: true, env: {} });
    const painted = Object.fromEntries(
      Object.entries({ ...style, columns: undefined }).flatMap(([name, paint]) =>
        paint === undefined ? [] : [[name, paint('x')]],
      ),
    );
    expect(painted).toEqual({
      bold: '\u001b[1mx\u001b[22m',
      dim: '\u001b[2mx\u001b[22m',
      red: '\u001b[31mx\u001b[39m',
      green: '\u001b[32mx\u001b[39m',
      yellow: '\u001b[33mx\u001b[39m',
      cyan: '\u001b[36mx\u001b[39m',
    });
  });

  test('gives back text unchanged elsewhere, and adds nothing to nothing', () => {
    expect(isColoured(false)).toBe(false);
    expect(createStyle({ isTerminal: true, env: {} }).bold('')).toBe('');
  });

  test.each([
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [false, { FORCE_COLOR: '' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { FORCE_COLOR: 'false' }, false],
    [true, { TERM: 'dumb' }, false],
    [true, { TERM: 'dumb', FORCE_COLOR: '3' }, true],
  ])('terminal %s with %j: colour %s', (isTerminal, env, expected) => {
    expect(isColoured(isTerminal, env)).toBe(expected);
  });
});
