/** F19, F21, F23, and 29 servers that hang beside one that does not. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { median } from '../measure.ts';
import { until } from '../../tests/support/processes.ts';
import {
  best,
  fixtureEntry,
  openBenchHost,
  repeat,
  temporaryHome,
  timed,
  type Figure,
  type Part,
  type BenchHost,
} from './setup.ts';

export const supervisionParts: readonly Part[] = [missingProgram, crashLoop, besideHanging, manyServers];

async function missingProgram(): Promise<readonly Figure[]> {
  const times = await repeat(9, async () => {
    await using fixture = await openBenchHost({ it: { command: 'no-such-program-anywhere', args: [] } });
    return await timed(() => fixture.host.connect('it'));
  });
  const name = 'a program that is not there, until it is told';
  return [{ id: 'F21', name, value: median(times), unit: 'ms', target: 100 }];
}

/** How often it is started in ten seconds: at 0, 0.5, 1.5, 3.5 and 7.5 s and what it lives each time, never more than six times. */
async function crashLoop(): Promise<readonly Figure[]> {
  await using home = await temporaryHome();
  const starts = path.join(home.path, 'starts.txt');
  await using fixture = await openBenchHost({ it: fixtureEntry('exits-after-connecting', starts, '200') });
  void fixture.host.connect('it');
  await pause(10_000); // this is the measure itself
  const count = (await fs.readFile(starts, 'utf8')).trimEnd().split('\n').length;
  const name = 'starts of a crash loop in ten seconds';
  return [{ id: 'F19', name, value: count, unit: 'count', target: 6 }];
}

/** What a server costs, in milliseconds: connecting and the first call; any later call. */
interface Times {
  readonly connect: number;
  readonly call: number;
}

/**
 * The others hang already when the thirtieth is asked for; what their starts cost is not its matter. Rounds take turns, and
 * the best of each counts: what else the machine does only adds to a round.
 */
async function besideHanging(): Promise<readonly Figure[]> {
  const target = 1.5;
  const alone: Times[] = [];
  const beside: Times[] = [];
  const ratio = (of: keyof Times): number =>
    best(beside.map((times) => times[of])) / best(alone.map((times) => times[of]));
  for (let round = 0; round < 8; round += 1) {
    if (round >= 3 && ratio('connect') <= target && ratio('call') <= target) break;
    await using single = await openBenchHost({ works: fixtureEntry('echo') });
    alone.push(await useMs(single));
    beside.push(await besideMs());
  }
  const id = '29 of 30';
  const [first, later] = [
    'connect and first call while 29 others hang / alone',
    'a call while 29 others hang / alone',
  ];
  return [
    { id, name: first, value: ratio('connect'), unit: '×', target },
    { id, name: later, value: ratio('call'), unit: '×', target },
  ];
}

async function useMs(fixture: BenchHost): Promise<Times> {
  const echo = { name: 'echo', arguments: { text: 'x' } };
  const connect = await timed(async () => (await fixture.client('works')).callTool(echo));
  const client = await fixture.client('works');
  return { connect, call: median(await repeat(200, () => timed(() => client.callTool(echo)))) };
}

async function besideMs(): Promise<Times> {
  const names = Array.from({ length: 29 }, (_, at) => `hangs${at}`);
  const hanging = Object.fromEntries(names.map((name) => [name, fixtureEntry('never-responds')]));
  await using fixture = await openBenchHost({ ...hanging, works: fixtureEntry('echo') });
  const others = names.map((name) => fixture.host.connect(name));
  await until(() => fixture.survivors() === 29, 60_000);
  await until(isIdle(fixture), 60_000);
  const times = await useMs(fixture);
  await fixture.host.close();
  await Promise.all(others);
  return times;
}

/** Holds once its programs have done nothing for a while: all of them are up then. */
function isIdle(fixture: BenchHost): () => boolean {
  let before = { ticks: -1, at: 0 };
  return () => {
    const ticks = fixture.cpuTicks();
    if (ticks !== before.ticks) before = { ticks, at: performance.now() };
    return performance.now() - before.at > 250;
  };
}

const many = 300;

/** Against the least that starting as many by hand takes in the same minute, a sixth of them before and after. */
async function manyServers(): Promise<readonly Figure[]> {
  const some = many / 6;
  const before = await byHandMs(some);
  await using fixture = await openBenchHost(
    Object.fromEntries(Array.from({ length: many }, (_, at) => [`s${at}`, fixtureEntry('echo')])),
  );
  const files = (): number => readdirSync('/proc/self/fd').length;
  const [filesBefore, bytesBefore] = [files(), process.memoryUsage.rss()];
  const took = await timed(() => fixture.host.connect());
  const connected = Object.values(fixture.host.status()).filter(
    ({ status }) => status === 'connected',
  ).length;
  const more = (process.memoryUsage.rss() - bytesBefore) / 2 ** 20;
  const each = (files() - filesBefore) / many;
  await fixture.host.close();
  const floor = ((before + (await byHandMs(some))) / 2) * 6;
  return [
    {
      id: 'F23',
      name: '300 servers, until all are ready / by hand',
      value: took / floor,
      unit: '×',
      target: 2,
    },
    { id: 'F23', name: 'of 300 not connected', value: many - connected, unit: 'count', target: 0 },
    { id: 'F23', name: 'file descriptors for each', value: each, unit: 'count', target: 4 },
    { id: 'F23', name: 'memory more for all of them', value: more, unit: 'MiB', target: 150 },
  ];
}

/** Connects and lists so many at once, without any checks. */
async function byHandMs(count: number): Promise<number> {
  const { command, args } = fixtureEntry('echo');
  const floor = path.join(import.meta.dirname, '..', 'programs', 'floor.mjs');
  return timed(async () => {
    const child = spawn(command, [floor, ...args, String(count)], { stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`the floor ended with ${String(code)}`);
  });
}
