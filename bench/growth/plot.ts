/** Draws the curves as small log-log plots with the line of allowed growth. Pure: the same record gives the same text. */

import type { Curve, Point } from './curve.ts';
import { middleOf, scaleOf, type Growth, type Measure } from './fit.ts';

export interface MeasuredCurve extends Curve {
  readonly growth: { readonly cpu: Growth; readonly wall: Growth };
}

export interface GrowthRecord {
  readonly at: string;
  readonly node: string;
  readonly machine: { readonly cores: number; readonly model: string; readonly load: readonly number[] };
  readonly curves: readonly MeasuredCurve[];
}

const columns = 3;
const cell = { width: 300, height: 232 } as const;
/** Of the lines inside a cell. */
const area = { left: 58, top: 44, width: 222, height: 142 } as const;
const legendHeight = 58;

/** It brings its own ground, so it can be read wherever it stands. */
const style = `
  .ground { fill: #ffffff } text { fill: #1f2328; font: 11px system-ui, sans-serif } .title { font-size: 13px; font-weight: 600 }
  .small { fill: #59636e; font-size: 10px } .grid { stroke: #d1d9e0; stroke-width: 1 }
  .line { fill: none; stroke-width: 2 } .cpu { stroke: #0969da } .dot { fill: #0969da }
  .wall { stroke: #bc4c00; stroke-width: 1.5; stroke-dasharray: 6 3 } .guide { stroke: #59636e; stroke-width: 1; stroke-dasharray: 1 3 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } text { fill: #f0f6fc } .small { fill: #9198a1 } .grid { stroke: #3d444d }
    .cpu { stroke: #4493f8 } .dot { fill: #4493f8 } .wall { stroke: #f0883e } .guide { stroke: #9198a1 }
  }
`;

export function plotGrowth({ at, node, machine, curves }: GrowthRecord): string {
  const width = columns * cell.width;
  const height = legendHeight + Math.ceil(curves.length / columns) * cell.height;
  const made = `${at.slice(0, 10)}, Node ${node.replace(/^v/, '')}, ${machine.cores} cores, ${machine.model}`;
  const cells = curves.map((curve, index) => {
    const [x, y] = [(index % columns) * cell.width, legendHeight + Math.floor(index / columns) * cell.height];
    return `<g transform="translate(${x} ${y})">\n${plotCurve(curve)}\n</g>`;
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="How cost grows with size">`,
    `<style>${style}</style>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    legend(made),
    ...cells,
    '</svg>',
  ].join('\n')}\n`;
}

function legend(made: string): string {
  const sample = (kind: string, x: number, word: string): string =>
    `<path class="line ${kind}" d="M${x} 20h28"/>${text(x + 34, 24, word)}`;
  return [
    sample('cpu', 20, 'CPU time of holt’s process'),
    sample('wall', 220, 'wall time'),
    sample('guide', 330, 'linear (search: × log) from the middle size on'),
    text(20, 44, made, 'small'),
  ].join('\n');
}

interface Axes {
  readonly x: (size: number) => number;
  readonly y: (ms: number) => number;
  readonly decades: { readonly sizes: readonly number[]; readonly times: readonly number[] };
}

function plotCurve(curve: MeasuredCurve): string {
  const { points, growth, counts, title } = curve;
  const axes = axesOf(curve);
  const { x, y, decades } = axes;
  const { left, top, width, height } = area;
  const kind = curve.allowed === 'linear' ? 'linear' : 'size × log';
  return [
    text(left, 18, title, 'title'),
    text(left, 34, `${growth.cpu.factor.toFixed(2)} × ${kind} (CPU)`, 'small'),
    ...decades.times.map(
      (ms) =>
        `<path class="grid" d="M${left} ${fixed(y(ms))}h${width}"/>${text(left - 6, y(ms) + 3, duration(ms), 'small', 'end')}`,
    ),
    ...decades.sizes.map(
      (size) =>
        `<path class="grid" d="M${fixed(x(size))} ${top}v${height}"/>${text(x(size), top + height + 14, short(size, counts), 'small', 'middle')}`,
    ),
    text(left + width / 2, top + height + 29, counts, 'small', 'middle'),
    `<path class="line guide" d="${pathOf(guideOf(curve), axes, 'cpuMs')}"/>`,
    `<path class="line wall" d="${pathOf(points, axes, 'wallMs')}"/>`,
    `<path class="line cpu" d="${pathOf(points, axes, 'cpuMs')}"/>`,
    ...points.map(
      ({ size, cpuMs }) => `<circle class="dot" cx="${fixed(x(size))}" cy="${fixed(y(cpuMs))}" r="3"/>`,
    ),
  ].join('\n');
}

/** What allowed growth would give: the cost of the smallest size, and the rest in proportion to the middle one's. */
function guideOf({ points, allowed }: Curve): readonly Point[] {
  const [first, middle, last] = [points[0], points[middleOf(points)], points.at(-1)];
  if (first === undefined || middle === undefined || last === undefined) return [];
  const scale = scaleOf(allowed);
  const each = (middle.cpuMs - first.cpuMs) / (scale(middle.size) - scale(first.size));
  const steps = 40;
  return Array.from({ length: steps + 1 }, (_, at) => {
    const size = first.size * (last.size / first.size) ** (at / steps);
    const cpuMs = first.cpuMs + each * (scale(size) - scale(first.size));
    return { size, cpuMs, wallMs: cpuMs };
  });
}

function axesOf(curve: Curve): Axes {
  const { points } = curve;
  const times = [...points, ...guideOf(curve)].flatMap(({ cpuMs, wallMs }) => [cpuMs, wallMs]);
  const [low, high] = [Math.floor(Math.log10(Math.min(...times))), Math.ceil(Math.log10(Math.max(...times)))];
  const sizes = points.map(({ size }) => size);
  const [from, to] = [Math.log10(Math.min(...sizes)), Math.log10(Math.max(...sizes))];
  const { left, top, width, height } = area;
  return {
    x: (size) => left + ((Math.log10(size) - from) / (to - from)) * width,
    y: (ms) => top + height - ((Math.log10(ms) - low) / (high - low)) * height,
    decades: { sizes: decadesOf(Math.ceil(from), Math.floor(to)), times: decadesOf(low, high) },
  };
}

function decadesOf(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => 10 ** (from + at));
}

function pathOf(points: readonly Point[], { x, y }: Axes, measure: Measure): string {
  return points
    .map((point, at) => `${at === 0 ? 'M' : 'L'}${fixed(x(point.size))} ${fixed(y(point[measure]))}`)
    .join('');
}

function fixed(value: number): string {
  return value.toFixed(1);
}

function duration(ms: number): string {
  if (ms >= 1000) return `${ms / 1000} s`;
  return ms >= 1 ? `${ms} ms` : `${Number((ms * 1000).toPrecision(3))} µs`;
}

function short(size: number, counts: string): string {
  const unit = counts === 'bytes' ? ['B', 'kB', 'MB'] : ['', ' k', ' M'];
  const step = size >= 1e6 ? 2 : size >= 1e3 ? 1 : 0;
  const [space, amount] = [counts === 'bytes' ? ' ' : '', size / 1000 ** step];
  return `${amount}${space}${unit[step] ?? ''}`;
}

function text(x: number, y: number, words: string, kind = '', anchor = ''): string {
  const safe = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const kinds = kind === '' ? '' : ` class="${kind}"`;
  const where = anchor === '' ? '' : ` text-anchor="${anchor}"`;
  return `<text${kinds} x="${fixed(x)}" y="${fixed(y)}"${where}>${safe}</text>`;
}
