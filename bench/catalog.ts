/** The catalog: looking for one tool among ten thousand, and the first answer of `tools()` with a warm cache. */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { lazyInfo, noRedaction, type Whose } from '../src/catalog-state/tool-views.ts';
import type { ToolPart } from '../src/catalog/cached-catalog.ts';
import { createToolIndex } from '../src/catalog/tool-search.ts';
import type { Tool } from '../src/kernel/protocol-types.ts';
import { realisticTools } from '../tests/support/realistic-tools.ts';

import { median, timeCommands, type BenchResult } from './measure.ts';

const root = path.join(import.meta.dirname, '..');
const program = (name: string): string => path.join(import.meta.dirname, 'programs', `${name}.mjs`);

export async function benchCatalog(): Promise<readonly BenchResult[]> {
  return [...benchSearch(), ...(await benchCache()), benchLazyTools(), ...(await benchCall())];
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

/** What the shared getters of cached tools are worth: docs/decisions/2026-11-20-catalog-cache-format.md. */
function benchLazyTools(): BenchResult {
  const parts: readonly ToolPart[] = ['description', 'inputSchema'];
  const tools = realisticTools(5000).map(({ name }) => {
    const tool: Tool = { name, description: 'Reads', inputSchema: { type: 'object' } };
    return { name, digest: '', parts, tool };
  });
  const whose = (tool: string): Whose => ({ name: tool, server: 'fat', tool, agent: 'holt' });
  const shared = (): unknown =>
    tools.map((listed) => lazyInfo(whose(listed.name), listed, 'ask', noRedaction));
  const closures = (): unknown =>
    tools.map((listed) => {
      const info = { ...whose(listed.name), decision: 'ask' };
      for (const part of parts)
        Object.defineProperty(info, part, {
          enumerable: true,
          configurable: true,
          get: () => listed.tool[part],
        });
      return info;
    });
  const times = { shared: [] as number[], closures: [] as number[] };
  for (let round = 0; round < 15; round += 1) {
    times.shared.push(timeOf(shared));
    times.closures.push(timeOf(closures));
  }
  const name = '5,000 lazy tools: a closure for each property / shared getters';
  return { name, value: median(times.closures) / median(times.shared), unit: '×' };
}

function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
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
