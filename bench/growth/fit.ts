/** From measured points to one figure: how much more the largest size costs than growth as allowed would give. Pure. */

import type { Allowed, Curve, Point } from './curve.ts';

export interface Growth {
  /** Of cost over size, or over size × log size where that is allowed; 1 is as allowed. */
  readonly exponent: number;
  /** Cost at the largest size, over what the allowed growth from a middle size would give. */
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
 * The cost at the smallest size counts as fixed and is taken off, and its size with it: what is left is what more
 * things cost more, so a high fixed cost cannot hide a bend. Through the logarithms of the upper sizes goes a straight
 * line by least squares. Its slope is the exponent, and the factor is what an exponent other than 1 comes to between
 * the middle and the largest size: every upper point has its say, and one lucky round at one of them does not decide.
 */
export function fitGrowth({ points, allowed }: Pick<Curve, 'points' | 'allowed'>, measure: Measure): Growth {
  const [first] = points;
  if (first === undefined) throw new Error('a curve without points');
  const scale = scaleOf(allowed);
  const upper = points
    .slice(middleOf(points))
    .map((point) => ({ x: scale(point.size) - scale(first.size), y: point[measure] - first[measure] }))
    .filter(({ x, y }) => x > 0 && y > 0)
    .map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }));
  const [from, to] = [upper[0], upper.at(-1)];
  if (from === undefined || to === undefined || from === to)
    throw new Error('the cost does not grow with the size at all: nothing to fit');
  const exponent = slopeOf(upper);
  return { exponent, factor: Math.exp((to.x - from.x) * (exponent - 1)) };
}

function slopeOf(line: readonly { readonly x: number; readonly y: number }[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(line.map((point) => point.x)), mean(line.map((point) => point.y))];
  const above = line.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0);
  const below = line.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  return above / below;
}
