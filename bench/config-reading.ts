/** How long reading takes inside a running program, and how it grows with the number of servers. */

import { loadServers } from '../dist/index.js';

import { createHome } from './homes.ts';
import { median, type BenchResult } from './measure.ts';

export async function benchConfigReading(): Promise<readonly BenchResult[]> {
  const small = await timeReading(200);
  const large = await timeReading(2000);
  return [
    { name: 'loadServers, 200 servers, warm', value: small, unit: 'ms', target: 30 },
    { name: 'loadServers, 2000 servers, warm', value: large, unit: 'ms' },
    { name: 'growth from 200 to 2000 servers', value: large / small / 10, unit: '× linear', target: 1.2 },
  ];
}

async function timeReading(servers: number): Promise<number> {
  await using home = await createHome(servers);
  const times: number[] = [];
  for (let round = -5; round < 21; round += 1) {
    const start = performance.now();
    await loadServers({ home: home.home, cwd: home.home });
    if (round >= 0) times.push(performance.now() - start);
  }
  return median(times);
}
