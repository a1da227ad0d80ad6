/**
 * One result of 9 MB, by hand and through the library, each in processes of their own that take turns: how long it takes
 * and by how much the process grows at its peak. `long-result.mjs` prints the medians; with a way as argument it is one run.
 */

import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { openFloor } from './floor-client.mjs';

const bytes = 9_000_000;
const rounds = 15;
const args = [path.join(import.meta.dirname, 'call-server.mjs'), 'stdio', 'stateful'];
const [way] = process.argv.slice(2);

if (way === undefined) {
  const told = { host: [], floor: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, runs] of Object.entries(told)) runs.push(runOnce(name));
  }
  const medianOf = (values) => values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
  const medians = (key) =>
    Object.fromEntries(
      Object.entries(told).map(([name, runs]) => [name, medianOf(runs.map((run) => run[key]))]),
    );
  console.log(JSON.stringify({ ms: medians('ms'), bytes: medians('bytes') }));
} else {
  const { call, close } = way === 'host' ? await openLibrary() : await openByHand();
  // Whatever is loaded and made with the first call is not the point.
  await call(1000);
  const before = process.memoryUsage.rss();
  const start = performance.now();
  const length = await call(bytes);
  const ms = performance.now() - start;
  if (length !== bytes) throw new Error(`${length} characters came`);
  console.log(JSON.stringify({ ms, bytes: process.resourceUsage().maxRSS * 1024 - before }));
  await close();
}

function runOnce(name) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [import.meta.filename, name]);
  if (status !== 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}

async function openLibrary() {
  const { openHost } = await import('../../dist/index.js');
  const home = await mkdtemp(path.join(os.tmpdir(), 'holt-bench-'));
  const servers = { s: { command: process.execPath, args } };
  const host = await openHost({ home, cwd: home, policy: { default: 'allow' }, servers });
  return {
    call: async (size) => (await host.call('mcp__s__long', { bytes: size })).content[0].text.length,
    close: async () => {
      await host.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function openByHand() {
  const floor = await openFloor(args);
  return {
    call: async (size) =>
      (await floor.ask('tools/call', { name: 'long', arguments: { bytes: size } })).content[0].text.length,
    close: async () => floor.close(),
  };
}
