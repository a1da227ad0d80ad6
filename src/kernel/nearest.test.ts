/** Which word a mistyped one was meant to be. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { nearest } from './nearest.ts';

const commands = [
  'list',
  'status',
  'get',
  'add',
  'remove',
  'enable',
  'disable',
  'trust',
  'doctor',
  'tools',
  'call',
];

describe('nearest', () => {
  test.each([
    ['lsit', 'list'],
    ['lst', 'list'],
    ['statsu', 'status'],
    ['stat', 'status'],
    ['docter', 'doctor'],
    ['enabel', 'enable'],
    ['tool', 'tools'],
    ['GET', 'get'],
    ['cal', 'call'],
    ['rmove', 'remove'],
  ])('%s means %s', (word, meant) => {
    expect(nearest(word, commands)).toBe(meant);
  });

  test.each(['xyzzy', 'x', '', 'statistics-of-the-year', 'z'.repeat(5000)])(
    '%s means none of them',
    (word) => {
      expect(nearest(word, commands)).toBeUndefined();
    },
  );

  test('takes a swap of neighbours for one slip', () => {
    expect(nearest('ab', ['ba', 'xy'])).toBe('ba');
    expect(nearest('ca', ['abc'])).toBeUndefined();
  });

  test('prefers the nearer one, and the first of two equally near', () => {
    expect(nearest('github', ['gitlab', 'githb', 'githu'])).toBe('githb');
    expect(nearest('cat', ['bat', 'hat'])).toBe('bat');
  });

  test('does not take one word for a wholly different one', () => {
    expect([nearest('boats', ['tools']), nearest('x', ['y', 'ab'])]).toEqual([undefined, undefined]);
  });

  test('finds what is there, whatever it is called', () => {
    const words = fc.array(fc.string({ minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(words, (candidates) => {
        const [word = ''] = candidates;
        expect(nearest(word, candidates)?.toLowerCase()).toBe(word.toLowerCase());
      }),
    );
  });
});
