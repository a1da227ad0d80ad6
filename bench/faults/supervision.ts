/** F19, F21, F23, and 29 servers that hang beside one that does not. */

import fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { median } from '../measure.ts';
import { until } from '../../tests/support/processes.ts';
import {
  best,
  fixture,
  openWorld,
  percentile,
  repeat,
  temporaryHome,
  timed,
  type Figure,
  type World,
} from './world.ts';

export async function benchSupervision(): Promise<readonly Figure[]> {
  return [await missingProgram(), await crashLoop(), ...(await besideHanging()), ...(await manyServers())];
}

async function missingProgram(): Promise<Figure> {
  const times = await repeat(9, async () => {
    await using world = await openWorld({ it: { command: 'no-such-program-anywhere', args: [] } });
    return await timed(() => world.host.connect('it'));
  });
  return {
    id: 'F21',
    name: 'a program that is not there, until it is told',
    value: percentile(times, 0.99),
    unit: 'ms',
    target: 100,
  };
}

/** How often it is started in ten seconds: at 0, 0.5, 1.5, 3.5 and 7.5 s, and never more than six times. */
async function crashLoop(): Promise<Figure> {
  await using home = await temporaryHome();
  const starts = path.join(home.path, 'starts.txt');
  await using world = await openWorld({ it: fixture('comes-up-and-dies', starts) });
  void world.host.connect('it');
  await pause(10_000); // this is the measure itself
  const count = (await fs.readFile(starts, 'utf8')).trimEnd().split('\n').length;
  return { id: 'F19', name: 'starts of a crash loop in ten seconds', value: count, unit: 'count', target: 6 };
}

/** The others hang already when the thirtieth is asked for; what their starts cost is not its matter. */
async function besideHanging(): Promise<readonly Figure[]> {
  const names = Array.from({ length: 29 }, (_, at) => `hangs${at}`);
  const hanging = Object.fromEntries(names.map((name) => [name, fixture('never-answers')]));
  const echo = { name: 'echo', arguments: { text: 'x' } };
  const alone: number[] = [];
  const beside: number[] = [];
  const calls = { alone: [] as number[], beside: [] as number[] };
  for (let round = 0; round < 3; round += 1) {
    await using single = await openWorld({ works: fixture('echo') });
    alone.push(await timed(async () => (await single.client('works')).callTool(echo)));
    const first = await single.client('works');
    calls.alone.push(median(await repeat(200, () => timed(() => first.callTool(echo)))));

    await using many = await openWorld({ ...hanging, works: fixture('echo') });
    const others = names.map((name) => many.host.connect(name));
    await until(() => many.survivors() === 29, 60_000);
    await until(isIdle(many), 60_000);
    beside.push(await timed(async () => (await many.client('works')).callTool(echo)));
    const thirtieth = await many.client('works');
    calls.beside.push(median(await repeat(200, () => timed(() => thirtieth.callTool(echo)))));
    await many.host.close();
    await Promise.all(others);
  }
  // The best of each: what else the machine does only adds to a round.
  const [connect, call] = [best(beside) / best(alone), best(calls.beside) / best(calls.alone)];
  return [
    {
      id: '29 of 30',
      name: 'connect and first call while 29 others hang / alone',
      value: connect,
      unit: '×',
      target: 1.5,
    },
    { id: '29 of 30', name: 'a call while 29 others hang / alone', value: call, unit: '×', target: 1.5 },
  ];
}

/** Holds once its programs have done nothing for a while: all of them are up then. */
function isIdle(world: World): () => boolean {
  let before = { ticks: -1, at: 0 };
  return () => {
    const ticks = world.cpuTicks();
    if (ticks !== before.ticks) before = { ticks, at: performance.now() };
    return performance.now() - before.at > 250;
  };
}

async function manyServers(): Promise<readonly Figure[]> {
  const servers = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`s${at}`, fixture('echo')]));
  await using world = await openWorld(servers);
  const before = (await fs.readdir('/proc/self/fd')).length;
  const took = await timed(() => world.host.connect());
  const connected = Object.keys(world.host.clients()).length;
  const files = ((await fs.readdir('/proc/self/fd')).length - before) / 300;
  return [
    { id: 'F23', name: '300 servers, until all are ready', value: took, unit: 'ms', target: 30_000 },
    { id: 'F23', name: 'of 300 not connected', value: 300 - connected, unit: 'count', target: 0 },
    { id: 'F23', name: 'file descriptors for each', value: files, unit: 'count', target: 4 },
  ];
}
