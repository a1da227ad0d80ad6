/**
 * `npm run bench:faults`: the figures of the fault table, measured through the library. Writes bench/results/faults.json.
 * `tsx bench/faults.ts GROUP…` measures some of them and writes nothing.
 */

import fs from 'node:fs/promises';
import path from 'node:path';

import { processParts } from './faults/processes.ts';
import { remoteParts } from './faults/remote.ts';
import { streamParts } from './faults/streams.ts';
import { supervisionParts } from './faults/supervision.ts';
import type { Figure, Part } from './faults/setup.ts';
import { runFacts } from './measure.ts';

const groups: Readonly<Record<string, readonly Part[]>> = {
  processes: processParts,
  streams: streamParts,
  supervision: supervisionParts,
  remote: remoteParts,
};
/** All of it takes half as long on a machine that does nothing else. */
const longestMs = 340_000;

const isReached = ({ value, target }: Figure): boolean => value <= target;

function tell(figure: Figure): void {
  const { id, name, value, unit, target } = figure;
  const shown = `${value.toFixed(unit === 'count' ? 0 : 2)} ${unit}`;
  const verdict = isReached(figure) ? 'reached' : 'MISSED';
  console.log(`${id.padEnd(9)} ${name.padEnd(66)} ${shown.padStart(14)}  (target ${target}: ${verdict})`);
}

const timeUp = new Promise<never>((_, reject) => {
  setTimeout(() => reject(new Error(`not done after ${longestMs / 1000} s`)), longestMs).unref();
});
timeUp.catch(() => undefined);

/** A part that breaks, or does not end, is a figure missed; the others are measured all the same. */
async function measure(part: Part): Promise<readonly Figure[]> {
  try {
    return await Promise.race([timeUp, part()]);
  } catch (error) {
    const name = `could not be measured: ${String(error)}`;
    return [{ id: part.name, name, value: 1, unit: 'count', target: 0 }];
  }
}

const wanted = process.argv.slice(2);
const figures: Figure[] = [];
for (const [name, parts] of Object.entries(groups)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const part of parts) {
    const found = await measure(part);
    for (const figure of found) tell(figure);
    figures.push(...found);
  }
}

if (wanted.length === 0) {
  const folder = path.join(import.meta.dirname, 'results');
  await fs.mkdir(folder, { recursive: true });
  const record = { ...runFacts(), figures };
  await fs.writeFile(path.join(folder, 'faults.json'), `${JSON.stringify(record, undefined, 2)}\n`);
}
// What did not end in time may still run.
process.exit(figures.every(isReached) ? 0 : 1);
