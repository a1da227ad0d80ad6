/** Connecting and listing compared with a hand-written client; framing of a long line; memory of connected servers. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';

import { realClock } from '../src/platform/clock.ts';
import { createReceiveBudget } from '../src/network/receive-budget.ts';
import { stdioLimits } from '../src/transports/stdio.ts';
import { createInbox } from '../src/transports/stdio/program-streams.ts';

import { median, timeCommands, type BenchResult } from './measure.ts';

const holt = path.join(import.meta.dirname, '..', 'dist', 'holt.cjs');
const program = (name: string): string => path.join(import.meta.dirname, 'programs', `${name}.mjs`);

export async function benchConnect(): Promise<readonly BenchResult[]> {
  return [
    ...(await benchStatus(1, 41)),
    ...(await benchStatus(30, 7)),
    ...(await benchLongLine()),
    ...benchMemory(),
  ];
}

async function benchStatus(servers: number, rounds: number): Promise<readonly BenchResult[]> {
  await using home = await createServersHome(servers);
  const where = ['--home', home.path, '--cwd', home.path];
  const names = servers === 1 ? ['s0'] : [];
  const floor = {
    name: 'floor',
    args: [program('floor'), program('plain-server'), String(servers)],
    env: { BENCH_STARTS: os.devNull },
  };
  const status = {
    name: 'status',
    args: [holt, 'status', ...names, '--json', ...where],
    env: { BENCH_STARTS: home.starts },
  };
  const times = timeCommands([floor, status], rounds);
  const starts = (await fs.readFile(home.starts, 'utf8')).trimEnd().split('\n').length;
  const runs = rounds + 2; // with those that warm up
  return [
    { name: `hand-written client, ${servers} server(s)`, value: times.ms('floor'), unit: 'ms' },
    {
      name: `holt status, ${servers} server(s), cold / hand-written`,
      value: times.ratio('status', 'floor'),
      unit: '×',
      target: 1.25,
    },
    {
      name: `starts of each server, ${servers} server(s)`,
      value: starts / servers / runs,
      unit: '×',
      target: 1,
    },
  ];
}

async function createServersHome(
  servers: number,
): Promise<AsyncDisposable & { readonly path: string; readonly starts: string }> {
  const home = await fs.mkdtemp(path.join(os.tmpdir(), 'holt-bench-'));
  const entry = { command: process.execPath, args: [program('plain-server')] };
  const map = Object.fromEntries(Array.from({ length: servers }, (_, at) => [`s${at}`, entry]));
  await fs.mkdir(path.join(home, '.holt'));
  await fs.writeFile(path.join(home, '.holt', 'mcp.json'), JSON.stringify({ mcpServers: map }));
  return {
    path: home,
    starts: path.join(home, 'starts.txt'),
    [Symbol.asyncDispose]: () => fs.rm(home, { recursive: true, force: true }),
  };
}

const longLineBytes = 10_000_000;

async function benchLongLine(): Promise<readonly BenchResult[]> {
  const reading: number[] = [];
  const framing: number[] = [];
  for (let round = -2; round < 15; round += 1) {
    const read = await timeStream(readAll);
    const framed = await timeStream(readLines);
    if (round < 0) continue;
    reading.push(read);
    framing.push(framed);
  }
  return [
    { name: 'reading 10 MB from a program', value: median(reading), unit: 'ms' },
    {
      name: 'framing a line of 10 MB / reading it',
      value: median(framing) / median(reading),
      unit: '×',
      target: 3,
    },
  ];
}

/** From the first byte to the last: how long the program took to start is not the point. */
async function timeStream(take: (stdout: Readable) => Promise<number>): Promise<number> {
  const child = spawn(process.execPath, [program('long-line'), String(longLineBytes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'readable');
  const start = performance.now();
  const bytes = await take(child.stdout);
  const took = performance.now() - start;
  if (bytes < longLineBytes) throw new Error(`only ${bytes} bytes came`);
  await ended;
  return took;
}

async function readAll(stdout: Readable): Promise<number> {
  let bytes = 0;
  stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await once(stdout, 'end');
  return bytes;
}

function readLines(stdout: Readable): Promise<number> {
  return new Promise((resolve, reject) => {
    createInbox(stdout, {
      clock: realClock,
      limits: stdioLimits,
      source: createReceiveBudget(() => 256 << 20)
        .openAccount()
        .openSource(),
      onLine: ({ text }) => resolve(text.length),
      onExcess: () => reject(new Error('too long')),
    });
  });
}

/** A program's heap grows in steps as it does more, whatever that is: what one more server holds shows among many. */
function benchMemory(): readonly BenchResult[] {
  const [one = Number.NaN, some = Number.NaN, many = Number.NaN] = [1, 31, 91].map(
    (count) => median([residentBytes(count), residentBytes(count), residentBytes(count)]) / 2 ** 20,
  );
  return [
    { name: 'memory of the library, one server', value: one, unit: 'MiB', target: 80 },
    { name: 'memory of the library, 31 servers', value: some, unit: 'MiB', target: 80 + 31 * 0.2 },
    { name: 'memory per server, from the first to 31', value: (some - one) / 30, unit: 'MiB', target: 1 },
    { name: 'memory per server, from 31 to 91', value: (many - some) / 60, unit: 'MiB', target: 0.2 },
    benchFatMemory(),
  ];
}

/** 5,000 tools of five servers, 17 MB of schemas. */
function benchFatMemory(): BenchResult {
  const bytes: Record<'floor' | 'holt', number[]> = { floor: [], holt: [] };
  for (let round = 0; round < 7; round += 1) {
    bytes.floor.push(fatBytes('floor'));
    bytes.holt.push(fatBytes('holt'));
  }
  const value = median(bytes.holt) / median(bytes.floor);
  return { name: 'memory with 5,000 large tools / hand-written', value, unit: '×', target: 1.6 };
}

function fatBytes(name: 'floor' | 'holt'): number {
  const file = path.join(import.meta.dirname, 'peers', 'programs', `${name}.mjs`);
  const index = path.join(path.dirname(holt), 'index.js');
  const env = {
    ...process.env,
    BENCH_HOLT: index,
    BENCH_SERVERS: path.join(import.meta.dirname, 'programs'),
  };
  return toldBytes(['--expose-gc', file, 'memory', '5', '1000'], env);
}

function residentBytes(servers: number): number {
  return toldBytes(['--expose-gc', program('idle-memory'), String(servers)], process.env);
}

function toldBytes(args: readonly string[], env: NodeJS.ProcessEnv): number {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { env });
  if (status !== 0) throw new Error(stderr.toString());
  const told = JSON.parse(stdout.toString()) as { readonly bytes: number }; // our own program's words
  return told.bytes;
}
