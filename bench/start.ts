/** How long the command takes to start, against a Node that does nothing. */

import fs from 'node:fs/promises';
import path from 'node:path';

import { createHome } from './homes.ts';
import { timeCommands, type BenchResult } from './measure.ts';

const holt = path.join(import.meta.dirname, '..', 'dist', 'holt.cjs');

export async function benchStart(): Promise<readonly BenchResult[]> {
  await using home = await createHome(60);
  const project = path.join(home.home, 'project');
  await fs.mkdir(path.join(project, '.git'), { recursive: true });
  const where = ['--home', home.home, '--cwd', project];
  const times = timeCommands(
    [
      { name: 'node', args: ['-e', '0'] },
      { name: 'version', args: [holt, '--version'] },
      { name: 'help', args: [holt, '--help'] },
      { name: 'list', args: [holt, 'list', ...where] },
      { name: 'list --json', args: [holt, 'list', '--json', ...where] },
    ],
    41,
  );
  const ratio = (name: string): number => times.ratio(name, 'node');
  return [
    { name: 'node -e 0', value: times.ms('node'), unit: 'ms' },
    { name: 'holt --version / node -e 0', value: ratio('version'), unit: '×', target: 1.35 },
    { name: 'holt --help / node -e 0', value: ratio('help'), unit: '×', target: 1.35 },
    { name: 'holt list, 20 agents, 60 servers / node -e 0', value: ratio('list'), unit: '×', target: 2 },
    { name: 'holt list --json, the same / node -e 0', value: ratio('list --json'), unit: '×', target: 2 },
  ];
}
