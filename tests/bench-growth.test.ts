/** How growth is fitted and drawn, and that the picture in the repository is the one of the figures beside it. */

import fs from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import type { Allowed, Point } from '../bench/growth/curve.ts';
import { fitGrowth } from '../bench/growth/fit.ts';
import { plotGrowth, type GrowthRecord } from '../bench/growth/plot.ts';

const sizes = [1, 5, 10, 25, 50, 100];

function growthOf(
  cost: (size: number) => number,
  allowed: Allowed = 'linear',
): readonly [exponent: string, factor: string] {
  const points: Point[] = sizes.map((size) => ({ size, cpuMs: cost(size), wallMs: 1 }));
  const { exponent, factor } = fitGrowth({ points, allowed }, 'cpuMs');
  return [exponent.toFixed(2), factor.toFixed(2)];
}

test('a fixed cost changes nothing about the growth that is fitted', () => {
  expect(growthOf((size) => 3 * size)).toEqual(['1.00', '1.00']);
  expect(growthOf((size) => 900 + 3 * size)).toEqual(['1.00', '1.00']);
});

test('what grows with the square costs ten times as much at ten times the size as linear growth gives', () => {
  expect(growthOf((size) => 900 + size ** 2)).toEqual(['2.00', '10.00']);
});

test('a bend that only begins at the largest size is seen', () => {
  const [, factor] = growthOf((size) => 3 * size + (size === 100 ? 200 : 0));
  expect(Number(factor)).toBeGreaterThan(1.25);
});

test('a logarithm more counts where it is allowed, and only there', () => {
  const sorting = (size: number): number => 7 + size * Math.log2(size);
  expect(growthOf(sorting, 'log-linear')).toEqual(['1.00', '1.00']);
  expect(Number(growthOf(sorting)[1])).toBeGreaterThan(1.25);
});

test('a cost that does not grow cannot be fitted', () => {
  expect(() => growthOf(() => 5)).toThrow('nothing to fit');
});

const results = path.join(import.meta.dirname, '..', 'bench', 'results');
const read = (file: string): string => fs.readFileSync(path.join(results, file), 'utf8');
const record = JSON.parse(read('growth.json')) as GrowthRecord; // written by the bench

test('the picture in the repository is drawn from the figures beside it', () => {
  expect(read('growth.svg')).toBe(plotGrowth(record));
});

test('the figures in the repository are fitted from the points beside them', () => {
  const fitted = record.curves.map((curve) => ({
    id: curve.id,
    cpu: fitGrowth(curve, 'cpuMs'),
    wall: fitGrowth(curve, 'wallMs'),
  }));
  expect(record.curves.map(({ id, growth }) => ({ id, ...growth }))).toEqual(fitted);
});

test('the picture is a document of its own: nothing from outside, foreign words are only words', () => {
  const machine = { cores: 2, model: '<script>&', load: [] };
  const drawn = plotGrowth({ ...record, machine });
  expect(drawn).toContain('2 cores, &lt;script>&amp;');
  expect(drawn.match(/<(?:script|image|use|foreignObject|a)\b|@import|url\(|href/g)).toBeNull();
  expect(drawn.match(/https?:[^"]*/g)).toEqual(['http://www.w3.org/2000/svg']);
  expect(drawn).not.toMatch(/NaN|Infinity|undefined/);
});
