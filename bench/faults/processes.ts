/** F01-F04, F06, F49, F53: processes left behind, and how long closing takes. */

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import type { Client } from '@modelcontextprotocol/client';

import { processesWith, until } from '../../tests/support/processes.ts';
import {
  fixtureEntry,
  markName,
  bestOf,
  openBenchHost,
  temporaryHome,
  timed,
  usedBytes,
  type Figure,
  type Part,
} from './setup.ts';

const holt = path.join(import.meta.dirname, '..', '..', 'dist', 'holt.cjs');

export const processParts: readonly Part[] = [closing, killedHost, interruptedTwice, manyAtOnce, cycles];

async function closing(): Promise<readonly Figure[]> {
  const cases = [
    {
      id: 'F01',
      name: 'tree that ignores SIGTERM',
      entry: fixtureEntry('starts-process-tree', 'ignores-sigterm'),
      rounds: { least: 2, most: 4 },
      target: 2500,
    },
    {
      id: 'F02',
      name: 'well-behaved server',
      entry: fixtureEntry('echo'),
      rounds: { least: 5, most: 15 },
      target: 150,
    },
    {
      id: 'F03',
      name: 'server that leaves a daemon',
      entry: fixtureEntry('forks-a-daemon'),
      rounds: { least: 3, most: 5 },
      target: 3000,
    },
  ];
  const figures: Figure[] = [];
  for (const { id, name, entry, rounds, target } of cases) {
    let left = 0;
    const took = await bestOf(rounds, target, async () => {
      await using fixture = await openBenchHost({ it: entry });
      await fixture.client('it');
      const closeMs = await timed(() => fixture.host.close());
      left += fixture.survivors();
      return closeMs;
    });
    figures.push({ id, name: `close, ${name}`, value: took, unit: 'ms', target });
    figures.push({ id, name: `processes left, ${name}`, value: left, unit: 'count', target: 0 });
  }
  return figures;
}

/** Ten trees under a host in another process, which is killed. */
async function killedHost(): Promise<readonly Figure[]> {
  await using home = await temporaryHome();
  const program = path.join(import.meta.dirname, '..', 'programs', 'holds-servers.mjs');
  const target = 1000;
  const took = await bestOf({ least: 3, most: 6 }, target, async () => {
    const mark = randomUUID();
    const host = spawn(process.execPath, [program, home.path, '10', 'starts-process-tree'], {
      env: { ...process.env, [markName]: mark },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(host.stdout, 'data');
    host.kill('SIGKILL');
    return until(() => processesWith(markName, mark).length === 0, 10_000);
  });
  return [
    {
      id: 'F04',
      name: 'kill -9 with ten trees, until nothing is left',
      value: took,
      unit: 'ms',
      target,
    },
  ];
}

async function interruptedTwice(): Promise<readonly Figure[]> {
  await using home = await temporaryHome();
  const mark = randomUUID();
  const it = { ...fixtureEntry('ignores-sigterm'), env: { [markName]: mark } };
  const stuck = { ...fixtureEntry('never-responds'), env: { [markName]: mark } };
  await fs.mkdir(path.join(home.path, '.holt'));
  await fs.writeFile(
    path.join(home.path, '.holt', 'mcp.json'),
    JSON.stringify({ mcpServers: { it, stuck } }),
  );
  const target = 300;
  const took = await bestOf({ least: 3, most: 8 }, target, async () => {
    const args = [holt, 'status', '--json', '--home', home.path, '--cwd', home.path];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    const ended = once(child, 'exit').then(([code, signal]) => {
      if (code !== 130) throw new Error(`it ended with ${String(code ?? signal)}`);
    });
    await until(() => processesWith(markName, mark).length === 2, 10_000);
    child.kill('SIGINT');
    // A second one right behind it is the same one to the system: wait until the first was taken.
    await until(() => !isPending(child.pid ?? 0, 'SIGINT'), 2000);
    child.kill('SIGINT');
    const one = await timed(() => ended);
    await until(() => processesWith(markName, mark).length === 0, 10_000);
    return one;
  });
  return [
    {
      id: 'F06',
      name: 'Ctrl-C twice, until holt has ended',
      value: took,
      unit: 'ms',
      target,
    },
  ];
}

function isPending(pid: number, signal: 'SIGINT'): boolean {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const masks = [...status.matchAll(/^(?:Sig|Shd)Pnd:\t([0-9a-f]+)$/gm)].map((match) =>
    BigInt(`0x${match[1]}`),
  );
  return masks.some((mask) => (mask & (1n << BigInt(os.constants.signals[signal] - 1))) !== 0n);
}

async function manyAtOnce(): Promise<readonly Figure[]> {
  const servers = Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`s${at}`, fixtureEntry('never-responds', 'calls')]),
  );
  await using fixture = await openBenchHost(servers);
  await fixture.host.connect();
  const calls = Object.values(await fixture.host.clients<Client>()).map((client) =>
    client.callTool({ name: 'wait' }).catch(() => undefined),
  );
  const took = await timed(() => fixture.host.close());
  await Promise.all(calls);
  return [
    {
      id: 'F49',
      name: 'close with 50 servers and 50 calls in flight',
      value: took,
      unit: 'ms',
      target: 8000,
    },
    { id: 'F49', name: 'processes left of 50', value: fixture.survivors(), unit: 'count', target: 0 },
  ];
}

async function cycles(): Promise<readonly Figure[]> {
  const rounds = 100 * Number(process.env['HOLT_TEST_SCALE'] ?? 1);
  await using fixture = await openBenchHost({ it: fixtureEntry('echo') });
  const cycle = async (times: number): Promise<number> => {
    for (let round = 0; round < times; round += 1) {
      await fixture.client('it');
      await fixture.host.disconnect('it');
    }
    return usedBytes();
  };
  const before = await cycle(50); // what the first rounds load for good is no growth
  const held = Math.max(0, (await cycle(rounds)) - before) / 2 ** 20;
  const name = `memory held per 1000 connects and disconnects (of ${rounds})`;
  return [{ id: 'F53', name, value: (held / rounds) * 1000, unit: 'MiB', target: 1 }];
}
