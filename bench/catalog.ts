/** The catalog: looking for one tool among ten thousand, and the first answer of `tools()` with a warm cache. */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { createToolIndex } from '../src/catalog/tool-search.ts';
import { realisticTools } from '../tests/support/realistic-tools.ts';

import { median, timeCommands, type BenchResult } from './measure.ts';

const root = path.join(import.meta.dirname, '..');
const program = (name: string): string => path.join(import.meta.dirname, 'programs', `${name}.mjs`);

export async function benchCatalog(): Promise<readonly BenchResult[]> {
  return [...benchSearch(), ...(await benchCache()), ...(await benchCall())];
}

function benchSearch(): readonly BenchResult[] {
  const tools = realisticTools(10_000);
  const built: number[] = [];
  const asked: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    const index = createToolIndex(tools);
    built.push(performance.now() - start);
    for (let at = 0; at < 200; at += 1) {
      const query = tools[(at * 37) % tools.length]?.description?.split(' ').slice(0, 3).join(' ') ?? '';
      const from = performance.now();
      index.search(query, { limit: 10 });
      asked.push(performance.now() - from);
    }
  }
  const late = asked.toSorted((left, right) => left - right)[Math.floor(asked.length * 0.95)] ?? Number.NaN;
  return [
    { name: 'search over 10,000 tools: p95', value: late, unit: 'ms', target: 5 },
    { name: 'search over 10,000 tools: building', value: median(built), unit: 'ms', target: 300 },
  ];
}

async function benchCache(): Promise<readonly BenchResult[]> {
  const home = await fs.mkdtemp(path.join(os.tmpdir(), 'holt-bench-'));
  try {
    const list = path.join(home, 'tools.json');
    const filler = 'x'.repeat(2000);
    const tools = realisticTools(5000).map(({ description, inputSchema }, at) => ({
      name: `tool_${at}`,
      description,
      inputSchema: { ...(inputSchema as object), description: filler }, // ours are objects
    }));
    await fs.writeFile(list, JSON.stringify(tools));
    const timed = (rounds: number): number => timeCached(home, list, rounds);
    const name = 'tools() from a warm cache, 5,000 tools';
    return [
      { name, value: timed(15), unit: 'ms', target: 20 },
      {
        name: `${name}, the first thing a process does`,
        value: median([0, 0, 0, 0, 0].map(timed)),
        unit: 'ms',
      },
    ];
  } finally {
    await fs.rm(home, { recursive: true, force: true });
  }
}

function timeCached(home: string, list: string, rounds: number): number {
  const args = ['--expose-gc', program('cached-tools'), home, list, String(rounds)];
  const { stdout, stderr, status } = spawnSync(process.execPath, args);
  if (status !== 0) throw new Error(stderr.toString());
  return (JSON.parse(stdout.toString()) as { readonly ms: number }).ms; // our own program's words
}

async function benchCall(): Promise<readonly BenchResult[]> {
  const home = await fs.mkdtemp(path.join(os.tmpdir(), 'holt-bench-'));
  try {
    const entry = { command: process.execPath, args: [program('plain-server')] };
    await fs.mkdir(path.join(home, '.holt'));
    await fs.writeFile(path.join(home, '.holt', 'mcp.json'), JSON.stringify({ mcpServers: { s0: entry } }));
    const env = { BENCH_STARTS: os.devNull };
    const call = ['call', 's0.tool_0', 'path=x', '--home', home, '--cwd', home];
    const times = timeCommands(
      [
        { name: 'floor', args: [program('floor'), program('plain-server'), '1'], env },
        { name: 'call', args: [path.join(root, 'dist', 'holt.cjs'), ...call], env },
      ],
      21,
    );
    const ratio = times.ratio('call', 'floor');
    return [{ name: 'holt call, cold / hand-written client', value: ratio, unit: '×', target: 1.4 }];
  } finally {
    await fs.rm(home, { recursive: true, force: true });
  }
}
