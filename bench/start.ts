/** How long the command takes to start, compared with an empty Node program, on each Node. */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { createHome, type BenchHome } from './homes.ts';
import { timeCommands, type BenchResult } from './measure.ts';
import { measuredNodes, type MeasuredNode } from './nodes.ts';

const holt = path.join(import.meta.dirname, '..', 'dist', 'holt.cjs');
const rounds = 41;

export async function benchStart(): Promise<readonly BenchResult[]> {
  await using home = await createHome(60);
  const results: BenchResult[] = [];
  for (const node of measuredNodes()) {
    results.push(...benchCommands(node, home), ...benchFirstRun(node, home), ...benchCache(node, home));
  }
  return results;
}

function benchCommands(
  { label, program }: MeasuredNode,
  { home, project }: BenchHome,
): readonly BenchResult[] {
  const where = ['--home', home, '--cwd', project];
  const times = timeCommands(
    [
      { name: 'node', args: ['-e', '0'] },
      { name: 'version', args: [holt, '--version'] },
      { name: 'help', args: [holt, '--help'] },
      { name: 'list', args: [holt, 'list', ...where] },
      { name: 'list --json', args: [holt, 'list', '--json', ...where] },
    ].map((command) => ({ ...command, program, env: { HOME: home } })),
    rounds,
  );
  const ratio = (name: string): number => times.ratio(name, 'node');
  return [
    { name: `${label}: node -e 0`, value: times.ms('node'), unit: 'ms' },
    { name: `${label}: holt --version / node -e 0`, value: ratio('version'), unit: '×', target: 1.2 },
    { name: `${label}: holt --help / node -e 0`, value: ratio('help'), unit: '×', target: 1.35 },
    { name: `${label}: holt list, mixed home / node -e 0`, value: ratio('list'), unit: '×', target: 3 },
    {
      name: `${label}: holt list --json, the same / node -e 0`,
      value: ratio('list --json'),
      unit: '×',
      target: 3,
    },
  ];
}

/** The command compiles its code at the first run and stores the result under holt's folder. */
function benchFirstRun(
  { label, program }: MeasuredNode,
  { home, project }: BenchHome,
): readonly BenchResult[] {
  const holtHome = path.join(home, '.holt');
  const cache = path.join(holtHome, 'cache');
  const list = {
    args: [holt, 'list', '--home', home, '--cwd', project],
    program,
    env: { HOLT_HOME: holtHome },
  };
  const times = timeCommands(
    [
      { name: 'node', args: ['-e', '0'], program },
      { ...list, name: 'first', before: () => fs.rmSync(cache, { recursive: true, force: true }) },
      { ...list, name: 'second' },
    ],
    11,
  );
  const row = (name: string, of: string): BenchResult => ({
    name: `${label}: holt list, ${name} / node -e 0`,
    value: times.ratio(of, 'node'),
    unit: '×',
  });
  return [row('first run, without a code cache', 'first'), row('second run', 'second')];
}

/** What the code cache is worth: the same commands where it can be neither read nor stored. */
function benchCache({ label, program }: MeasuredNode, { home, project }: BenchHome): readonly BenchResult[] {
  const where = ['--home', home, '--cwd', project];
  const commands = [
    { name: 'list', args: [holt, 'list', ...where] },
    { name: 'call', args: [holt, 'call', 'example.add', 'a=1', 'b=2', '--example', ...where] },
  ].map((command) => ({ ...command, program }));
  const times = timeCommands(
    commands.flatMap(({ name, ...command }) => [
      { ...command, name, env: { HOME: home } },
      { ...command, name: `${name} without`, env: { HOME: path.join(os.devNull, 'home') } },
    ]),
    11,
  );
  return commands.map(({ name }) => ({
    name: `${label}: holt ${name} without the code cache / with it`,
    value: times.ratio(`${name} without`, name),
    unit: '×',
  }));
}
