/**
 * `npm run test:faults -- [--minutes 2] [--seed S] [--only WORKLOAD]`: a soak. Workloads run side by side while faults are injected;
 * then the history they wrote is checked. Writes bench/results/soak.json when all workloads ran; ends with 1 on a violation.
 */

import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { checkAll } from './checks/all-checks.ts';
import { readHistory } from './history.ts';
import { now } from './programs/notes.mjs';
import {
  bundlePrograms,
  openContext,
  type WorkloadContext,
  type ContextOptions,
} from './workload-context.ts';
import { renderSummary, summarize } from './summary.ts';
import { watchProcesses, type Watch } from './watch.ts';
import { runEdits } from './workloads/edits.ts';
import { runHosts } from './workloads/hosts.ts';
import { runLogins } from './workloads/logins.ts';
import { runPolicy } from './workloads/policy.ts';
import { runSmallDisk } from './workloads/small-disk.ts';

type Workload = (context: WorkloadContext, options: ContextOptions) => Promise<void>;

const workloads: Readonly<Record<string, Workload>> = {
  hosts: runHosts,
  logins: runLogins,
  edits: (context) =>
    runEdits({ context, home: path.join(context.folder, 'home'), file: 'the file', isSmall: false }),
  'small-disk': runSmallDisk,
  policy: runPolicy,
};

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    only: { type: 'string', multiple: true },
    keep: { type: 'boolean', default: false },
  },
});
const names = Object.keys(workloads).filter((name) => values.only?.includes(name) ?? true);
const unknown = values.only?.find((name) => workloads[name] === undefined);
const minutes = Number(values.minutes);
if (unknown !== undefined || !(minutes > 0)) {
  console.error(`--minutes N, --seed TEXT, --only ${Object.keys(workloads).join('|')}`);
  process.exit(2);
}

const folder = await mkdtemp(path.join(os.tmpdir(), 'holt-soak-'));
const history = path.join(folder, 'history');
mkdirSync(history);
await bundlePrograms(folder);
const stopping = new AbortController();
// Folders are closed and processes stopped on the way: whoever interrupts waits until all of that is undone.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopping.abort());
const end = { seed: values.seed, folder, history, until: now() + minutes * 60_000, stopped: stopping.signal };
console.log(`soak: seed ${values.seed}, ${minutes} minutes, ${names.join(', ')}`);
const watch = watchProcesses(openContext({ ...end, name: 'watch' }).note);
await Promise.all(names.map((name) => runWorkload(name, watch)));
await watch.settle();

if (stopping.signal.aborted) process.exitCode = 130;
else process.exitCode = await judge();
if (values.keep) console.log(`\nhistory: ${history}`);
else await rm(folder, { recursive: true, force: true });

/** Checks what was written, tells of it, and gives the exit code. */
async function judge(): Promise<number> {
  const entries = await readHistory(history);
  const checked = checkAll(entries);
  const summary = summarize(entries, checked, { seed: values.seed, minutes, workloads: names });
  console.log(renderSummary(summary));
  if (values.only === undefined) {
    const results = path.join(import.meta.dirname, '..', '..', 'bench', 'results');
    await writeFile(path.join(results, 'soak.json'), `${JSON.stringify(summary, undefined, 2)}\n`);
  }
  const broken = Object.values(checked).filter(({ violations }) => violations.length > 0);
  for (const { violations } of broken) {
    const [shortest] = violations.toSorted((one, other) => one.slice.length - other.slice.length);
    console.log(`\n${shortest?.invariant}: ${shortest?.message}`);
    for (const entry of shortest?.slice ?? []) console.log(`  ${JSON.stringify(entry)}`);
  }
  return broken.length === 0 ? 0 : 1;
}

/** A workload that throws is a violation and does not stop the others. */
async function runWorkload(name: string, { onNote }: Watch): Promise<void> {
  const options = { ...end, name };
  const context = openContext(options);
  const note: WorkloadContext['note'] = (kind, facts) => {
    context.note(kind, facts);
    onNote({ kind, ...facts });
  };
  try {
    await workloads[name]?.({ ...context, note }, options);
  } catch (error) {
    note('wrong', {
      what: `the workload ${name} broke: ${error instanceof Error ? error.stack : String(error)}`,
    });
  }
}
