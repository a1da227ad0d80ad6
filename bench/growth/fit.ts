/** Reduces measured points to one figure: the cost of ten times the size, relative to the allowed growth. Pure. */

import type { Allowed, Curve, Point } from './curve.ts';

export interface Growth {
  /** Of cost over size, or over size × log size where that is allowed; 1 is as allowed. */
  readonly exponent: number;
  /** What ten times the size costs, over what the allowed growth would give: one measure for all curves, near or far. */
  readonly factor: number;
}

export type Measure = Exclude<keyof Point, 'size'>;

/** Where the upper sizes begin: a third of the way, so four of six. */
export function middleOf(points: readonly Point[]): number {
  return Math.floor(points.length / 3);
}

export function scaleOf(allowed: Allowed): (size: number) => number {
  return allowed === 'linear' ? (size) => size : (size) => size * Math.log2(size);
}

/**
 * What is measured is a fixed cost and one that grows: `fixed + each × size ^ exponent`. Of all exponents the one is taken
 * with which such a curve comes closest to the points, each weighed by its own size, so that a small one counts as much as
 * a large one. The fixed cost is found by the fit and not read off one point: one lucky round does not decide.
 */
export function fitGrowth({ points, allowed }: Pick<Curve, 'points' | 'allowed'>, measure: Measure): Growth {
  const scale = scaleOf(allowed);
  const measured = points.map((point) => ({ x: scale(point.size), y: point[measure] }));
  const largest = measured.at(-1);
  if (largest === undefined) throw new Error('a curve without points');
  const fits = exponents.map((exponent) => ({ exponent, ...fitWith(exponent, measured) }));
  const best = fits.reduce((one, other) => (other.off < one.off ? other : one));
  if (best.each * largest.x ** best.exponent < largest.y / 1000)
    throw new Error('the cost does not grow with the size at all: nothing to fit');
  return { exponent: best.exponent, factor: 10 ** (best.exponent - 1) };
}

/** From one that hardly grows to the cube. */
const exponents = Array.from({ length: 291 }, (_, at) => (at + 10) / 100);

interface Measured {
  readonly x: number;
  readonly y: number;
}

/** The fixed cost, none or more, and what each adds, with which the squares of what is off, as a share, are the least. */
function fitWith(
  exponent: number,
  measured: readonly Measured[],
): { readonly each: number; readonly off: number } {
  const rows = measured.map(({ x, y }) => ({ x: x ** exponent, y, weight: 1 / (y * y) }));
  const sum = (term: (row: (typeof rows)[number]) => number): number =>
    rows.reduce((total, row) => total + row.weight * term(row), 0);
  const [all, x, y] = [sum(() => 1), sum((row) => row.x), sum((row) => row.y)];
  const [xx, xy] = [sum((row) => row.x * row.x), sum((row) => row.x * row.y)];
  const slope = (all * xy - x * y) / (all * xx - x * x);
  const isBelow = y - slope * x < 0;
  const each = isBelow ? xy / xx : slope;
  const fixed = isBelow ? 0 : (y - slope * x) / all;
  return { each, off: sum((row) => (row.y - fixed - each * row.x) ** 2) };
}
