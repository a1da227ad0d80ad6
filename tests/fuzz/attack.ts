/** Attacks one target from outside: starts its process, watches its memory, and finds the case that ended it. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { serialize } from 'node:v8';

import fc from 'fast-check';

import { limits } from './check-case.ts';
import type { Order, Report } from './child.ts';
import { casesInRound, chosenBy, type Failure } from './rounds.ts';
import { showCase } from './show-case.ts';
import type { AnyTarget } from './target.ts';

export interface AttackOptions {
  readonly module: string;
  readonly target: AnyTarget;
  readonly seed: string;
  readonly stallRatio: number;
  /** A folder for files of this run. */
  readonly folder: string;
  readonly work: Exclude<Order['work'], { readonly kind: 'case' }>;
  readonly signal?: AbortSignal | undefined;
}

export interface AttackResult {
  readonly target: string;
  readonly cases: number;
  readonly rounds: number;
  readonly largestStall: number;
  readonly peakMiB: number;
  readonly failure?: Failure;
}

const lookMs = 100;
/** Below the limit for the whole process. Without it Node collects garbage late on a machine with much memory. */
const heapLimit = '--max-old-space-size=320';
/** A case that stalls is run several times. */
const standstillMs = 3 * limits.caseMs;
/** Making a case smaller takes a process for each try. */
const shrinkMs = 90_000;

/** How a child ended. */
interface Ending {
  readonly reports: readonly Report[];
  /** Undefined when it ended by itself, with its work done. */
  readonly broken?: { readonly kind: string; readonly message: string } | undefined;
  readonly peakMiB: number;
}

export async function attack(options: AttackOptions): Promise<AttackResult> {
  const { target, seed, folder, work, signal } = options;
  const progress = path.join(folder, `${target.name}.progress`);
  const { reports, broken, peakMiB } = await runChild({ ...orderOf(options, progress), work }, signal);
  const rounds = reports.filter((report) => report.kind === 'round');
  const failure = rounds.find((done) => done.failure !== undefined)?.failure;
  const [round = 0, at = 0] = broken === undefined ? [] : readProgress(progress);
  const place = { target: target.name, seed, round };
  const ended = broken && {
    ...place,
    path: at < casesInRound ? String(at) : '',
    ...broken,
    counterexample: '',
  };
  const found = failure ?? ended;
  const needsProcess =
    found !== undefined && (ended !== undefined || ['memory', 'hang'].includes(found.kind));
  const shown = needsProcess ? await narrow(found, options) : found;
  return {
    target: target.name,
    cases: rounds.reduce((sum, { cases }) => sum + cases, 0),
    rounds: rounds.length,
    largestStall: Math.max(0, ...rounds.map(({ largestStall }) => largestStall)),
    peakMiB: Math.max(peakMiB, ...rounds.map((done) => done.peakMiB)),
    ...(shown === undefined || signal?.aborted === true ? {} : { failure: shown }),
  };
}

function orderOf({ module, target, seed, stallRatio }: AttackOptions, progress: string): Omit<Order, 'work'> {
  return { module, target: target.name, seed, stallRatio, progress };
}

function readProgress(file: string): readonly number[] {
  try {
    return readFileSync(file, 'latin1').trim().split(' ').map(Number);
  } catch {
    return [];
  }
}

/** Runs the case alone in a fresh process, and smaller ones as long as they fail as well. */
async function narrow(failure: Failure, options: AttackOptions): Promise<Failure> {
  const { target, folder } = options;
  const file = path.join(folder, `${target.name}.case`);
  const until = performance.now() + shrinkMs;
  let last: Ending['broken'];
  let first: { readonly value: unknown } | undefined;
  const property = fc.asyncProperty(target.inputs, async (value) => {
    if (performance.now() > until) return;
    first ??= { value };
    writeFileSync(file, serialize(value));
    const order = orderOf(options, path.join(folder, `${target.name}.narrow`));
    const { reports, broken } = await runChild({ ...order, work: { kind: 'case', file } }, options.signal);
    const done = reports.find((report) => report.kind === 'done');
    const fault = broken ?? done?.fault;
    if (fault === undefined) return;
    last = fault;
    throw new Error(fault.message);
  });
  const from = failure.path === '' ? undefined : failure.path;
  const details = await fc.check(property, {
    ...chosenBy({ ...failure, path: from }),
    endOnFailure: false,
    ...(from === undefined ? {} : { numRuns: 1 }),
  });
  const { counterexample, counterexamplePath } = details;
  if (counterexample !== null && last !== undefined) {
    const shown = await show(counterexample[0], target);
    return { ...failure, ...last, path: counterexamplePath ?? '', counterexample: shown };
  }
  const message = `${failure.message}\nThe case alone passes: it fails only after those before it in its round.`;
  const shown = from === undefined ? '' : await show(first?.value, target);
  return { ...failure, message, counterexample: shown };
}

async function show(value: unknown, target: AnyTarget): Promise<string> {
  const opened = await target.open();
  try {
    return showCase(value, opened.prepare(value).text);
  } finally {
    await opened[Symbol.asyncDispose]();
  }
}

async function runChild(order: Order, signal?: AbortSignal): Promise<Ending> {
  const program = path.join(import.meta.dirname, 'child.ts');
  const child = spawn(
    process.execPath,
    [heapLimit, '--import', import.meta.resolve('tsx'), program, JSON.stringify(order)],
    // What a process leaves behind that is killed is removed with the folder of the run.
    {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, TMPDIR: path.dirname(order.progress) },
    },
  );
  const stop = (): void => void child.kill('SIGKILL');
  signal?.addEventListener('abort', stop, { once: true });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2000);
  });
  const reports: Report[] = [];
  child.on('message', (report) => reports.push(report as Report)); // sent by our own program
  const watch = watchChild(child, order.progress);
  // The last report may arrive after the end.
  const [[code, by]] = await Promise.all([once(child, 'close'), once(child, 'disconnect')]);
  watch.stop();
  signal?.removeEventListener('abort', stop);
  const isDone = reports.some(({ kind }) => kind === 'done');
  const message = `the process ended with ${by ?? `exit code ${code}`}\n${complaint}`.trim();
  const broken = watch.reason ?? (isDone ? undefined : { kind: 'crash', message });
  return { reports, broken, peakMiB: watch.peakMiB };
}

interface Watch {
  readonly reason: { readonly kind: string; readonly message: string } | undefined;
  readonly peakMiB: number;
  stop(): void;
}

/** Ends a process that takes too much memory or makes no progress: it may be unable to see that itself. */
function watchChild(child: ChildProcess, progress: string): Watch {
  let reason: Watch['reason'];
  let peakMiB = 0;
  let seen = '';
  let seenAt = performance.now();
  const end = (kind: string, message: string): void => {
    reason ??= { kind, message };
    child.kill('SIGKILL');
  };
  const look = (): void => {
    const usedMiB = memoryOf(child.pid ?? 0);
    peakMiB = Math.max(peakMiB, usedMiB);
    if (usedMiB > limits.memoryMiB)
      end('memory', `the process takes ${usedMiB.toFixed(0)} MiB, over ${limits.memoryMiB} MiB`);
    const now = readProgress(progress).join(' ');
    if (now !== seen) [seen, seenAt] = [now, performance.now()];
    if (performance.now() - seenAt > standstillMs)
      end('stall', `the process stands still for ${standstillMs / 1000} s`);
  };
  const timer = setInterval(look, lookMs);
  return {
    get reason() {
      return reason;
    },
    get peakMiB() {
      return peakMiB;
    },
    stop: () => clearInterval(timer),
  };
}

/** 0 where the system does not tell; the process then reports its own memory after each case. */
function memoryOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
