/**
 * `npm run fuzz -- [--minutes 2] [--seed S] [--only TARGET] [--record] [--stall-ratio 10]`: sends random inputs to everything
 * that reads what others write. Ends with 1 when a case crashes, stalls the event loop or takes too much memory.
 */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { attack, type AttackResult } from './attack.ts';
import { limits } from './check-case.ts';
import type { Order } from './child.ts';
import { renderPage, renderSummary, type FuzzRun } from './report.ts';
import type { AnyTarget } from './target.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    only: { type: 'string', multiple: true },
    /** `ROUND` or `ROUND/PATH`, as a report names them. */
    replay: { type: 'string' },
    record: { type: 'boolean', default: false },
    /** For machines that others use as well: a stall counts from this multiple of the time for `JSON.parse` on. */
    'stall-ratio': { type: 'string', default: String(limits.stallRatio) },
    /** A module with other targets: for the test of this program. */
    targets: { type: 'string', default: path.join(import.meta.dirname, 'all-targets.ts') },
  },
});
const module = path.resolve(values.targets);
const { targets: all } = (await import(module)) as { readonly targets: readonly AnyTarget[] }; // as `--targets` wants it
const targets = all.filter(({ name }) => values.only?.includes(name) ?? true);
const minutes = Number(values.minutes);
const stallRatio = Number(values['stall-ratio']);
const isKnown = values.only?.every((wanted) => all.some(({ name }) => name === wanted)) ?? true;
const isReplayable =
  values.replay === undefined || (targets.length === 1 && /^\d+(?:\/[\d:]+)?$/.test(values.replay));
if (!isKnown || !isReplayable || !(minutes > 0) || !(stallRatio > 0)) {
  console.error(`--minutes N, --seed TEXT, --only ${all.map(({ name }) => name).join('|')}`);
  console.error('--record, --replay ROUND[/PATH] with --seed and --only');
  process.exit(2);
}

const folder = await mkdtemp(path.join(os.tmpdir(), 'holt-fuzz-'));
const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopping.abort());
console.log(`fuzz: seed ${values.seed}, ${minutes} minutes, ${targets.map(({ name }) => name).join(', ')}`);
const results = await attackAll();
await rm(folder, { recursive: true, force: true });

const run: FuzzRun = { seed: values.seed, minutes, results };
console.log(renderSummary(run));
const hasFailed = results.some(({ failure }) => failure !== undefined);
if (stopping.signal.aborted) process.exitCode = 130;
else process.exitCode = hasFailed ? 1 : 0;
if (values.record && !stopping.signal.aborted) {
  const page = path.join(import.meta.dirname, '..', '..', 'docs', 'fuzz.md');
  await writeFile(page, renderPage(run));
}

/** Two at a time, each in a process of its own, and all for equally long. */
async function attackAll(): Promise<readonly AttackResult[]> {
  const atOnce = Math.min(2, targets.length);
  const forMs = (minutes * 60_000) / Math.ceil(targets.length / atOnce);
  const waiting = [...targets];
  const found: AttackResult[] = [];
  const work = async (): Promise<void> => {
    for (let target = waiting.shift(); target !== undefined; target = waiting.shift()) {
      if (stopping.signal.aborted) return;
      const { seed } = values;
      found.push(
        await attack({
          module,
          target,
          seed,
          stallRatio,
          folder,
          work: workFor(forMs),
          signal: stopping.signal,
        }),
      );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return targets.flatMap(({ name }) => found.filter(({ target }) => target === name));
}

function workFor(forMs: number): Exclude<Order['work'], { readonly kind: 'case' }> {
  if (values.replay === undefined) return { kind: 'rounds', forMs };
  const [round, at] = values.replay.split('/');
  return { kind: 'round', round: Number(round), path: at };
}
