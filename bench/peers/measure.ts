/** Runs the cases alternately with their base and returns ratios. */

import { spawnSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';

import { median } from '../measure.ts';
import type { Cell, PeersRecord, Row } from '../report/record.ts';

import { entries, peerCases, type Figure, type PeerCase, type Place, type Run } from './cases.ts';
import { columns } from './columns.ts';
import { createPeersHome } from './homes.ts';
import type { Peers } from './install.ts';

const root = path.join(import.meta.dirname, '..', '..');
const timeoutMs = 120_000;

export interface PeersOptions {
  readonly quick: boolean;
  /** Only the cases whose id begins so. */
  readonly only?: string;
  readonly say: (line: string) => void;
}

export async function measurePeers(
  peers: Peers,
  { quick, only = '', say }: PeersOptions,
): Promise<PeersRecord> {
  const start = loadNow();
  const rows: Row[] = [];
  for (const each of peerCases.filter(({ id }) => id.startsWith(only))) {
    say(`beside others: ${each.id}`);
    rows.push(...(await measureCase(each, peers, quick)));
  }
  return {
    at: new Date().toISOString(),
    node: peers.nodeVersion,
    machine: {
      cores: os.cpus().length,
      model: os.cpus()[0]?.model ?? 'unknown',
      load: { start, end: loadNow() },
    },
    versions: peers.versions,
    columns,
    rows,
  };
}

export function loadNow(): readonly number[] {
  return os.loadavg().map((load) => Number(load.toFixed(2)));
}

async function measureCase(given: PeerCase, peers: Peers, quick: boolean): Promise<readonly Row[]> {
  await using home = await createPeersHome(given.servers, peers.node);
  const place: Place = { folder: peers.folder, home: home.path, scale: quick ? 0.05 : 1 };
  const rounds = quick ? 1 : given.rounds;
  const names = [given.base, ...columns.map(({ id }) => id)];
  const runs = new Map<string, Run[]>(names.map((name) => [name, []]));
  const lacks = new Map<string, string>();
  for (let round = given.warms && !quick ? -1 : 0; round < rounds; round += 1) {
    for (const name of names.filter((one) => !lacks.has(one))) {
      const outcome = runTwice(given, { name, place, node: peers.node });
      if ('why' in outcome) lacks.set(name, outcome.why);
      else if (round >= 0) runs.get(name)?.push(outcome);
    }
    if (lacks.has(given.base)) throw new Error(`${given.id} of ${given.base}: ${lacks.get(given.base)}`);
  }
  return given.figures.map((figure) => rowOf(given, figure, { runs, lacks, rounds }));
}

interface Measured {
  readonly runs: ReadonlyMap<string, readonly Run[]>;
  readonly lacks: ReadonlyMap<string, string>;
  readonly rounds: number;
}

function rowOf({ base }: PeerCase, figure: Figure, { runs, lacks, rounds }: Measured): Row {
  const valueOf = (name: string): number => median((runs.get(name) ?? []).map((run) => figure.of(run)));
  const baseValue = valueOf(base);
  const cellOf = (name: string): Cell => {
    const why = lacks.get(name);
    return why === undefined ? { ratio: valueOf(name) / baseValue } : { why };
  };
  const { id, title, unit, better } = figure;
  const cells = Object.fromEntries(columns.map((column) => [column.id, cellOf(column.id)]));
  return { id, title, base, better, rounds, baseValue: { value: baseValue, unit }, cells };
}

type Outcome = Run | { readonly why: string };

interface Who {
  readonly name: string;
  readonly place: Place;
  readonly node: string;
}

/** What fails on a busy machine may work the second time. */
function runTwice(given: PeerCase, who: Who): Outcome {
  const first = runOnce(given, who);
  return 'why' in first ? runOnce(given, who) : first;
}

function runOnce(given: PeerCase, { name, place, node }: Who): Outcome {
  const args = given.argsOf(name, place);
  if ('why' in args) return args;
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(node, args, {
    cwd: place.home,
    env: environment(place),
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: 1 << 26,
    encoding: 'utf8',
  });
  const ms = performance.now() - start;
  if (status !== 0) return { why: `Did not finish here: ${lastLine(stderr)}` };
  return {
    ms,
    told: given.figures.some(({ of }) => Number.isNaN(of({ ms, told: {} }))) ? readTold(stdout) : {},
  };
}

/** Nothing of whoever runs this but the way to programs; nobody sends figures of the run anywhere. */
function environment(place: Place): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    TMPDIR: os.tmpdir(),
    HOME: place.home,
    USERPROFILE: place.home,
    DO_NOT_TRACK: '1',
    MCP_USE_ANONYMIZED_TELEMETRY: 'false',
    BENCH_SERVERS: path.join(root, 'bench', 'programs'),
    BENCH_HOLT: path.join(root, 'dist', 'index.js'),
    BENCH_MCP_REMOTE: entries['mcp-remote']?.(place)[0] ?? '',
  };
}

function readTold(stdout: string): Record<string, number> {
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, number>; // our own program's words
}

function lastLine(text: string): string {
  const told = text.split('\n').find((line) => /error/i.test(line)) ?? text.trim().split('\n').at(-1) ?? '';
  return told.trim().slice(0, 120);
}
