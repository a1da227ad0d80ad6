/** Calls compared with the SDK's client and a hand-written one: sequential, concurrent, and one very long result. */

import { spawnSync } from 'node:child_process';
import path from 'node:path';

import { median, type BenchResult } from './measure.ts';

const program = (name: string): string => path.join(import.meta.dirname, 'programs', `${name}.mjs`);
const calls = 10_000;

/** Median milliseconds of one call, and of many at once, by who makes them. */
interface CallTimes {
  readonly one: Readonly<Record<string, number>>;
  readonly many: Readonly<Record<string, number>>;
}

interface LongTimes {
  readonly ms: Readonly<Record<string, number>>;
  /** How much the process has grown at its peak. */
  readonly bytes: Readonly<Record<string, number>>;
}

export async function benchCalls(): Promise<readonly BenchResult[]> {
  const kinds = ['stdio', 'http'].flatMap((transport) =>
    ['stateful', 'stateless'].map((era) => [transport, era] as const),
  );
  return [...kinds.flatMap(([transport, era]) => benchKind(transport, era)), ...benchLong()];
}

/** On which core the system puts a server, and so how soon it answers, is settled when it starts: several are started. */
const sets = 3;

function benchKind(transport: string, era: string): readonly BenchResult[] {
  const count = transport === 'http' ? calls / 5 : calls;
  const told = Array.from(
    { length: sets },
    () => run('call-speed', transport, era, String(count)) as CallTimes, // our own program's words
  );
  const kind = `${transport}, ${era}`;
  const ratio = (what: keyof CallTimes, to: string): number =>
    median(told.map(({ [what]: times }) => (times['host'] ?? Number.NaN) / (times[to] ?? Number.NaN)));
  const hasFloor = told.some(({ one }) => one['floor'] !== undefined);
  return [
    {
      name: `host.call, ${kind}: p50`,
      value: median(told.map(({ one }) => one['host'] ?? Number.NaN)),
      unit: 'ms',
    },
    { name: `host.call / SDK, ${kind}: p50`, value: ratio('one', 'sdk'), unit: '×', target: 1.1 },
    // At least 0.95 of its rate.
    {
      name: `host.call / SDK, ${kind}: time at 64 in flight`,
      value: ratio('many', 'sdk'),
      unit: '×',
      target: 1 / 0.95,
    },
    ...(hasFloor
      ? [
          {
            name: `host.call / hand-written, ${kind}: p50`,
            value: ratio('one', 'floor'),
            unit: '×',
            target: 1.4,
          } as const,
        ]
      : []),
  ];
}

function benchLong(): readonly BenchResult[] {
  const { ms, bytes } = run('long-result') as LongTimes; // our own program's words
  const ratio = (times: Readonly<Record<string, number>>): number =>
    (times['host'] ?? Number.NaN) / (times['floor'] ?? Number.NaN);
  return [
    { name: '9 MB of text / hand-written: time', value: ratio(ms), unit: '×', target: 1.3 },
    { name: '9 MB of text / hand-written: growth of memory', value: ratio(bytes), unit: '×', target: 1.3 },
  ];
}

function run(name: string, ...args: readonly string[]): unknown {
  // The SDK's client over HTTP warns with every call at some point: more than the usual room for words.
  const options = { maxBuffer: 64 << 20 };
  const { stdout, stderr, status } = spawnSync(process.execPath, [program(name), ...args], options);
  if (status !== 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}
