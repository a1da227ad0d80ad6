/** How long reading takes inside a running program. How it grows with the number of servers is in growth.ts. */

import { loadServers } from '../dist/index.js';

import { createHome } from './homes.ts';
import { median, type BenchResult } from './measure.ts';

export async function benchConfigReading(): Promise<readonly BenchResult[]> {
  await using home = await createHome(200);
  const times: number[] = [];
  for (let round = -5; round < 21; round += 1) {
    const start = performance.now();
    await loadServers({ home: home.home, cwd: home.home });
    if (round >= 0) times.push(performance.now() - start);
  }
  return [{ name: 'loadServers, 200 servers, warm', value: median(times), unit: 'ms', target: 30 }];
}
