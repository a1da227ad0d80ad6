/** F10-F17, F20, F52, F56: servers that send too much, too little or nonsense. */

import fs from 'node:fs/promises';
import path from 'node:path';

import { median } from '../measure.ts';
import { fixture, loopLag, openWorld, percentile, repeat, timed, type Figure, type World } from './world.ts';

export async function benchStreams(): Promise<readonly Figure[]> {
  return [
    await noise(),
    await longLine(),
    ...(await tooLongLine()),
    await flood(),
    await hungCall(),
    await crashInCall(),
    ...(await stderrFlood()),
    await endlessPages(),
  ];
}

async function connectMs(...entry: Parameters<typeof fixture>): Promise<number> {
  await using world = await openWorld({ it: fixture(...entry) });
  return timed(() => world.client('it'));
}

export async function noise(): Promise<Figure> {
  const quiet: number[] = [];
  const noisy: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    quiet.push(await connectMs('noisy-stdout', '0'));
    noisy.push(await connectMs('noisy-stdout', '10000'));
  }
  return {
    id: 'F10',
    name: 'connect behind 10,000 lines of noise, more by',
    value: median(noisy) - median(quiet),
    unit: 'ms',
    target: 100,
  };
}

/** Against what nobody can avoid in one turn: making a text of the bytes and parsing it. */
export async function longLine(): Promise<Figure> {
  const bytes = 9_900_000;
  const line = Buffer.from(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text', text: 'x'.repeat(bytes) }] },
    }),
  );
  const parsing: number[] = [];
  const stalls: number[] = [];
  await using world = await openWorld({ it: fixture('huge-line') });
  const client = await world.client('it');
  for (let round = 0; round < 7; round += 1) {
    parsing.push(await timed(async () => JSON.parse(line.toString('utf8'))));
    stalls.push((await loopLag(() => client.callTool({ name: 'huge', arguments: { bytes } }))).longest);
  }
  return {
    id: 'F12',
    name: 'longest stall at a line of 9.9 MB / parsing it',
    value: median(stalls) / median(parsing),
    unit: '×',
    target: 2,
  };
}

async function callMs(world: World, name: string): Promise<number> {
  const client = await world.client(name);
  return timed(() => client.callTool({ name: 'echo', arguments: { text: 'x' } }));
}

export async function tooLongLine(): Promise<readonly Figure[]> {
  await using world = await openWorld({ it: fixture('huge-line'), sibling: fixture('echo') });
  const alone = await repeat(300, () => callMs(world, 'sibling'));
  const client = await world.client('it');
  const before = process.memoryUsage.rss();
  const progress = { isOver: false, peak: before };
  const detect = timed(() => client.callTool({ name: 'huge', arguments: { bytes: 64 << 20 } })).finally(
    () => {
      progress.isOver = true;
    },
  );
  const beside: number[] = [];
  while (!progress.isOver) {
    beside.push(await callMs(world, 'sibling'));
    progress.peak = Math.max(progress.peak, process.memoryUsage.rss());
  }
  return [
    {
      id: 'F13',
      name: 'a line of 64 MiB, until the call fails',
      value: await detect,
      unit: 'ms',
      target: 1000,
    },
    {
      id: 'F13',
      name: 'memory more at its peak',
      value: (progress.peak - before) / 2 ** 20,
      unit: 'MiB',
      target: 48,
    },
    {
      id: 'F13',
      name: 'median call of a sibling meanwhile / alone',
      value: median(beside) / median(alone),
      unit: '×',
      target: 3,
    },
  ];
}

export async function flood(): Promise<Figure> {
  await using world = await openWorld({ it: fixture('floods'), sibling: fixture('echo') });
  const client = await world.client('it');
  await world.client('sibling');
  await client.callTool({ name: 'flood' });
  const { p99 } = await loopLag(() => repeat(300, () => callMs(world, 'sibling')));
  return { id: 'F14', name: 'event loop late during a flood, p99', value: p99, unit: 'ms', target: 50 };
}

async function hungCall(): Promise<Figure> {
  await using world = await openWorld(
    { it: fixture('never-answers', 'calls') },
    { timeouts: { idleMs: 400 } },
  );
  const client = await world.client('it');
  const times = await repeat(5, () => timed(() => client.callTool({ name: 'wait' })));
  return {
    id: 'F17',
    name: 'a hung call, later than its limit by',
    value: percentile(times, 0.99) - 400,
    unit: 'ms',
    target: 250,
  };
}

export async function crashInCall(): Promise<Figure> {
  const times = await repeat(5, async () => {
    await using world = await openWorld({ it: fixture('dies-after-one-call') });
    const client = await world.client('it');
    return timed(() => client.callTool({ name: 'die' }));
  });
  return {
    id: 'F20',
    name: 'a server dies in a call, until the call fails',
    value: percentile(times, 0.99),
    unit: 'ms',
    target: 100,
  };
}

export async function stderrFlood(): Promise<readonly Figure[]> {
  await using world = await openWorld({ it: fixture('floods-stderr') });
  const client = await world.client('it');
  const pour = (mebibytes: number): Promise<unknown> =>
    client.callTool({ name: 'pour', arguments: { bytes: mebibytes << 20 } });
  await pour(16);
  const before = process.memoryUsage.rss();
  await pour(200 * Number(process.env['HOLT_TEST_SCALE'] ?? 1));
  const more = (process.memoryUsage.rss() - before) / 2 ** 20;
  return [
    {
      id: 'F52',
      name: 'memory more after a flood on stderr',
      value: Math.max(0, more),
      unit: 'MiB',
      target: 20,
    },
    {
      id: 'F52',
      name: 'log files after it',
      value: (await sizeOf(world.home)) / 2 ** 20,
      unit: 'MiB',
      target: 40,
    },
  ];
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => fs.stat(path.join(entry.parentPath, entry.name)));
  return (await Promise.all(files)).reduce((sum, { size }) => sum + size, 0);
}

export async function endlessPages(): Promise<Figure> {
  const took = await connectMs('pages-forever');
  return { id: 'F56', name: 'connect to a list without an end', value: took, unit: 'ms', target: 5000 };
}
