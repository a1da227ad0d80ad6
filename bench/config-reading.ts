/** How long reading takes inside a running program. How it grows with the number of servers is in growth.ts. */

import { spawnSync } from 'node:child_process';
import path from 'node:path';

import { createHome } from './homes.ts';
import { median, type BenchResult } from './measure.ts';

const program = path.join(import.meta.dirname, 'programs', 'config-reading.mjs');
const [warmUps, rounds] = [5, 21];

/** In a program of its own: what runs the bench compiles TypeScript on the way and slows others down. */
export async function benchConfigReading(): Promise<readonly BenchResult[]> {
  await using home = await createHome(200);
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [program, home.home, home.project, String(warmUps), String(rounds)],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`config-reading failed: ${stderr}`);
  const times = JSON.parse(stdout) as number[]; // printed by the program above
  return [{ name: 'loadServers, 200 servers, warm', value: median(times), unit: 'ms', target: 30 }];
}
