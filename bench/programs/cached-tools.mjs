/**
 * `cached-tools.mjs HOME LIST ROUNDS`: how long the first answer of `tools()` takes with a warm cache, before any server is
 * up; prints the median in ms. A process of its own, as a program that uses holt is; run with --expose-gc.
 * With no rounds it takes the cache as another process left it and times its own very first answer.
 */

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { openHost } from '../../dist/index.js';

const [home, list, rounds] = process.argv.slice(2);
const server = path.join(import.meta.dirname, '../../tests/fixtures/servers/tools-from-file.mjs');
const options = { home, cwd: home, servers: { fat: { command: process.execPath, args: [server, list] } } };

const { length } = JSON.parse(readFileSync(list, 'utf8'));

async function answer() {
  const host = await openHost(options);
  globalThis.gc(); // what earlier rounds left behind is not the first answer's to clean up
  const start = performance.now();
  const found = await host.tools({ wait: 'cached' });
  const took = performance.now() - start;
  if (found.length !== length) throw new Error(`only ${found.length} tools came from the cache`);
  await host.close();
  return took;
}

const times = [];
if (rounds === '0') times.push(await answer());
else {
  const first = await openHost(options);
  await first.connect();
  await first.tools({ wait: 'settled' });
  await first.close();
  for (let round = -2; round < Number(rounds); round += 1) {
    const took = await answer();
    if (round >= 0) times.push(took);
  }
}
console.log(
  JSON.stringify({ ms: times.toSorted((left, right) => left - right)[Math.floor(times.length / 2)] }),
);
