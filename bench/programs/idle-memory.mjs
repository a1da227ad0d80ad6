/** Connects N servers through the library and prints its resident memory when idle. `node --expose-gc idle-memory.mjs N` */

import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { openHost } from '../../dist/index.js';

const count = Number(process.argv[2]);
const server = path.join(import.meta.dirname, 'plain-server.mjs');
const home = await mkdtemp(path.join(os.tmpdir(), 'holt-bench-'));
const servers = Object.fromEntries(
  Array.from({ length: count }, (_, at) => [`s${at}`, { command: process.execPath, args: [server] }]),
);
const host = await openHost({ home, cwd: home, servers });
const statuses = Object.values(await host.connect());
if (statuses.length !== count || statuses.some(({ status }) => status !== 'connected'))
  throw new Error(JSON.stringify(statuses));
// Collected until nothing more comes of it.
let bytes = Infinity;
for (let round = 0; round < 10; round += 1) {
  globalThis.gc();
  await new Promise((resolve) => setImmediate(resolve));
  bytes = Math.min(bytes, process.memoryUsage.rss());
}
console.log(JSON.stringify({ bytes }));
await host.close();
await rm(home, { recursive: true, force: true });
