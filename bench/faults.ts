/** `npm run bench:faults`: the figures of the fault table, measured through the library. Writes bench/results/faults.json. */

import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { benchProcesses } from './faults/processes.ts';
import { benchRemote } from './faults/remote.ts';
import { benchStreams } from './faults/streams.ts';
import { benchSupervision } from './faults/supervision.ts';
import type { Figure } from './faults/world.ts';

const groups = {
  processes: benchProcesses,
  streams: benchStreams,
  supervision: benchSupervision,
  remote: benchRemote,
};
const wanted = process.argv.slice(2);
const figures: Figure[] = [];
for (const [name, bench] of Object.entries(groups)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const figure of await bench()) {
    figures.push(figure);
    const verdict = figure.value <= figure.target ? 'reached' : 'MISSED';
    const value = `${figure.value.toFixed(figure.unit === 'count' ? 0 : 2)} ${figure.unit}`;
    console.log(
      `${figure.id.padEnd(9)} ${figure.name.padEnd(66)} ${value.padStart(14)}  (target ${figure.target}: ${verdict})`,
    );
  }
}

if (wanted.length === 0) {
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
    figures,
  };
  await fs.writeFile(path.join(folder, 'faults.json'), `${JSON.stringify(record, undefined, 2)}\n`);
}
process.exitCode = figures.every(({ value, target }) => value <= target) ? 0 : 1;
