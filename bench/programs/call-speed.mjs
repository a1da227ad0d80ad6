/**
 * Calls one server through the library, through the SDK's client and, on stdio, through a hand-written one, in turns.
 * `call-speed.mjs stdio|http stateful|stateless CALLS` prints the median of one call and the time of many at once, in ms.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { openHost } from '../../dist/index.js';
import { openFloor } from './floor-client.mjs';

const [transport, era, count = '2000'] = process.argv.slice(2);
const calls = Number(count);
const batch = 200;
const inFlight = 64;
const args = [path.join(import.meta.dirname, 'call-server.mjs'), transport, era];
const given = { text: 'hello' };

/** Any class of its own probes in place, as our transport does. */
class OwnStdio extends StdioClientTransport {}

const home = await mkdtemp(path.join(os.tmpdir(), 'holt-bench-'));
const remote =
  transport === 'http' ? spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] }) : undefined;
const url = remote === undefined ? undefined : String((await once(remote.stdout, 'data'))[0]).trim();
const command = { command: process.execPath, args };

const host = await openHost({
  home,
  cwd: home,
  policy: { default: 'allow' },
  servers: { s: url === undefined ? command : { type: 'http', url } },
});
await host.connect('s');
const client = new Client(
  { name: 'bench', version: '1.0.0' },
  { versionNegotiation: { mode: era === 'stateless' ? { pin: '2026-07-28' } : 'legacy' } },
);
await client.connect(
  url === undefined
    ? new OwnStdio({ ...command, stderr: 'ignore' })
    : new StreamableHTTPClientTransport(new URL(url)),
);
await client.listTools();
const floor = url === undefined && era === 'stateful' ? await openFloor(args) : undefined;

const ways = {
  host: () => host.call('mcp__s__echo', given),
  sdk: () => client.callTool({ name: 'echo', arguments: given }),
  ...(floor === undefined
    ? {}
    : { floor: () => floor.ask('tools/call', { name: 'echo', arguments: given }) }),
};
const medianOf = (values) => values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];

const one = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
const many = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
for (let round = -2; round < calls / batch; round += 1) {
  const keep = (times, way, values) => (round < 0 ? undefined : times[way].push(...values));
  for (const [way, call] of Object.entries(ways)) keep(one, way, await timeEach(call));
  for (const [way, call] of Object.entries(ways)) keep(many, way, [await timeAll(call)]);
}

async function timeEach(call) {
  const times = [];
  for (let at = 0; at < batch; at += 1) {
    const start = performance.now();
    await call();
    times.push(performance.now() - start);
  }
  return times;
}

async function timeAll(call) {
  const start = performance.now();
  let left = batch * 4;
  const worker = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return performance.now() - start;
}

const medians = (times) =>
  Object.fromEntries(Object.entries(times).map(([way, values]) => [way, medianOf(values)]));
console.log(JSON.stringify({ one: medians(one), many: medians(many) }));
await host.close();
await client.close();
floor?.close();
remote?.stdin.end();
await rm(home, { recursive: true, force: true });
