/** `npm run bench`: speed as ratios inside one run, cases interleaved, medians. Writes bench/results/*.json. */

import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { benchCalls } from './calls.ts';
import { benchCatalog } from './catalog.ts';
import { benchConfigReading } from './config-reading.ts';
import { benchConnect } from './connect.ts';
import { benchStart } from './start.ts';
import type { BenchResult } from './measure.ts';

const results: BenchResult[] = [];
for (const bench of [benchStart, benchConfigReading, benchConnect, benchCalls, benchCatalog])
  results.push(...(await bench()));

const folder = path.join(import.meta.dirname, 'results');
await fs.mkdir(folder, { recursive: true });
const record = {
  at: new Date().toISOString(),
  node: process.version,
  machine: {
    cores: os.cpus().length,
    model: os.cpus()[0]?.model,
    load: os.loadavg().map((load) => Number(load.toFixed(2))),
  },
  results,
};
await fs.writeFile(path.join(folder, 'latest.json'), `${JSON.stringify(record, undefined, 2)}\n`);

for (const { name, value, unit, target } of results) {
  const verdict =
    target === undefined
      ? ''
      : value <= target
        ? `  (target ${target}: reached)`
        : `  (target ${target}: MISSED)`;
  console.log(`${name.padEnd(52)} ${value.toFixed(2)} ${unit}${verdict}`);
}
process.exitCode = results.some(({ value, target }) => target !== undefined && value > target) ? 1 : 0;
