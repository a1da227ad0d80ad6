/**
 * How cost grows with size. `tsx bench/growth.ts` measures everything and writes growth.json and growth.svg;
 * `tsx bench/growth.ts servers tools` only tells of these; with `--quick` one round has to do.
 */

import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { build } from 'esbuild';

import { httpCalls, results, stdioCalls } from './growth/calls.ts';
import { configServers, sources } from './growth/config.ts';
import { measure, type Curve, type Subject } from './growth/curve.ts';
import { fitGrowth } from './growth/fit.ts';
import { plotGrowth, type GrowthRecord } from './growth/plot.ts';
import { servers } from './growth/servers.ts';
import { tools } from './growth/tools.ts';
import { runFacts, type BenchResult } from './measure.ts';

const subjects: Readonly<Record<string, Subject>> = {
  servers,
  tools,
  sources,
  'config-servers': configServers,
  'calls-stdio': stdioCalls,
  'calls-http': httpCalls,
  results,
};

const target = 1.25;
const measureOne = '--measure';
const quickly = '--quick';
const folder = path.join(import.meta.dirname, 'results');

export async function benchGrowth(flags: readonly string[] = []): Promise<BenchResult[]> {
  const curves = await measureAll(Object.keys(subjects), flags);
  const record: GrowthRecord = {
    ...runFacts(),
    curves: curves.map((curve) => ({
      ...curve,
      growth: { cpu: fitGrowth(curve, 'cpuMs'), wall: fitGrowth(curve, 'wallMs') },
    })),
  };
  await fs.mkdir(folder, { recursive: true });
  await fs.writeFile(path.join(folder, 'growth.json'), `${JSON.stringify(record, undefined, 2)}\n`);
  await fs.writeFile(path.join(folder, 'growth.svg'), plotGrowth(record));
  return curves.map(resultOf);
}

function resultOf(curve: Curve): BenchResult {
  const [from, to] = [curve.points[0]?.size, curve.points.at(-1)?.size];
  const sizes = `${from?.toLocaleString('en')} to ${to?.toLocaleString('en')} ${curve.counts}`;
  const beyond = curve.allowed === 'linear' ? '' : ' (× log)';
  const { factor } = fitGrowth(curve, 'cpuMs');
  return { name: `growth: ${curve.title}, ${sizes}${beyond}`, value: factor, unit: '× linear', target };
}

/** Each in a process of its own: no one's heap is another's. */
async function measureAll(names: readonly string[], flags: readonly string[]): Promise<readonly Curve[]> {
  const curves: Curve[] = [];
  const program = await compileMeasure();
  try {
    for (const name of names) {
      const args = ['--expose-gc', program, measureOne, name, ...flags];
      const { stdout } = await promisify(execFile)(process.execPath, args, {
        cwd: path.join(import.meta.dirname, '..'),
      });
      curves.push(...(JSON.parse(stdout) as Curve[])); // our own program's words
    }
  } finally {
    await fs.rm(program, { force: true });
  }
  return curves;
}

/**
 * This file as plain JavaScript, to be run by plain Node, as users run it: what compiles while it runs is itself a large
 * part of such a process, and with every server that it starts the system has all of that process to copy.
 */
async function compileMeasure(): Promise<string> {
  // Where the subjects stand, so that what they name beside them is found.
  const outfile = path.join(import.meta.dirname, 'growth', `.measure-${process.pid}.mjs`);
  await build({
    entryPoints: [import.meta.filename],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    external: [path.join(import.meta.dirname, '..', 'dist', '*')],
    logLevel: 'warning',
  });
  return outfile;
}

async function main(args: readonly string[]): Promise<void> {
  const [first, name = ''] = args;
  if (first === measureOne) {
    const subject = subjects[name];
    if (subject === undefined) throw new Error(`there is no ${name}`);
    console.log(JSON.stringify(await measure(subject, args.includes(quickly))));
    return;
  }
  const flags = args.filter((arg) => arg === quickly);
  const names = args.filter((arg) => arg !== quickly);
  if (names.length > 0) console.table((await measureAll(names, flags)).flatMap(tellCurve));
  else
    for (const { name: row, value, unit } of await benchGrowth(flags))
      console.log(`${row}: ${value.toFixed(2)} ${unit}`);
}

function tellCurve(curve: Curve): readonly Record<string, string | number>[] {
  const { exponent, factor } = fitGrowth(curve, 'cpuMs');
  return [
    ...curve.points.map(({ size, cpuMs, wallMs }) => ({ curve: curve.id, size, cpuMs, wallMs })),
    { curve: curve.id, exponent, factor },
  ];
}

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));
