/**
 * `npm run bench`: speed as ratios inside one run, cases interleaved, medians. Writes bench/results/* and the section of
 * the README. `--no-peers` measures holt alone; `--only NAME` one part, or one case beside others, and writes only what is
 * whole; `--quick` compares in one round; `--report` measures nothing and writes table, picture and section anew.
 */

import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { benchCalls } from './calls.ts';
import { benchCatalog } from './catalog.ts';
import { benchConfigReading } from './config-reading.ts';
import { benchConnect } from './connect.ts';
import { benchGrowth } from './growth.ts';
import type { BenchResult } from './measure.ts';
import { peerCases } from './peers/cases.ts';
import { installPeers } from './peers/install.ts';
import { loadNow, measurePeers } from './peers/measure.ts';
import { writeReports } from './report/write.ts';
import { peersText } from './report/text.ts';
import { benchStart } from './start.ts';

type Bench = () => Promise<readonly BenchResult[]>;

const own: Readonly<Record<string, Bench>> = {
  start: benchStart,
  config: benchConfigReading,
  connect: benchConnect,
  calls: benchCalls,
  catalog: benchCatalog,
  growth: benchGrowth,
};
const folder = path.join(import.meta.dirname, 'results');
const { values: flags } = parseArgs({
  options: {
    'no-peers': { type: 'boolean', default: false },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
  },
});
const write = async (name: string, record: object): Promise<void> => {
  await fs.mkdir(folder, { recursive: true });
  await fs.writeFile(path.join(folder, name), `${JSON.stringify(record, undefined, 2)}\n`);
};

if (flags.report) {
  await writeReports();
} else {
  const known = [...Object.keys(own), 'peers', ...peerCases.map(({ id }) => `peers-${id}`)];
  if (flags.only !== undefined && !known.includes(flags.only))
    throw new Error(`--only takes one of: ${known.join(', ')}`);
  await benchOwn(flags.only);
  if (!flags['no-peers']) await benchPeers(flags.only);
}

async function benchOwn(only: string | undefined): Promise<void> {
  const start = loadNow();
  const names = Object.keys(own).filter((name) => only === undefined || only === name);
  const results: BenchResult[] = [];
  for (const name of names) results.push(...((await own[name]?.()) ?? []));
  for (const result of results) console.log(lineOf(result));
  if (only === undefined)
    await write('latest.json', {
      at: new Date().toISOString(),
      node: process.version,
      machine: {
        cores: os.cpus().length,
        model: os.cpus()[0]?.model,
        load: { start, end: loadNow() },
      },
      results,
    });
  if (results.some(({ value, target }) => target !== undefined && !(value <= target))) process.exitCode = 1;
}

async function benchPeers(only: string | undefined): Promise<void> {
  const chosen = only?.startsWith('peers-') ? only.slice('peers-'.length) : undefined;
  if (only !== undefined && only !== 'peers' && chosen === undefined) return;
  const record = await measurePeers(installPeers(), {
    quick: flags.quick,
    ...(chosen === undefined ? {} : { only: chosen }),
    say: (line) => process.stderr.write(`${line}\n`),
  });
  console.log(peersText(record));
  const failed = record.rows.filter(({ cells }) => !('ratio' in (cells['holt'] ?? {})));
  for (const { id, cells } of failed) process.stderr.write(`${id}: ${JSON.stringify(cells['holt'])}\n`);
  if (failed.length > 0) process.exitCode = 1;
  if (chosen !== undefined) return;
  await write('peers.json', record);
  await writeReports();
}

function lineOf({ name, value, unit, target }: BenchResult): string {
  const verdict =
    target === undefined ? '' : `  (target ${target}: ${value <= target ? 'reached' : 'MISSED'})`;
  return `${name.padEnd(52)} ${value.toFixed(2)} ${unit}${verdict}`;
}
