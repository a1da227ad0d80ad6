/** The context of every soak workload: a deadline, seeded randomness, and a log for events. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { build } from 'esbuild';

import { isAlive } from '../support/processes.ts';
import type { Note } from './history.ts';
import { createRandom, now, openNotes, type Random } from './programs/notes.mjs';

export interface WorkloadContext {
  readonly name: string;
  /** A separate folder for this workload; deleted when the soak ends. */
  readonly folder: string;
  /** Where the history is written, one file for each process. */
  readonly history: string;
  readonly random: Random;
  readonly note: Note;
  readonly seed: string;
  isOver(): boolean;
}

export interface ContextOptions {
  readonly name: string;
  readonly folder: string;
  readonly history: string;
  readonly seed: string;
  readonly until: number;
  /** Set when somebody wants it to end before its time. */
  readonly stopped?: AbortSignal;
}

export function openContext({
  name,
  folder,
  history,
  seed,
  until,
  stopped,
}: ContextOptions): WorkloadContext {
  const own = path.join(folder, name);
  fs.mkdirSync(own, { recursive: true });
  return {
    name,
    folder: own,
    history,
    seed: `${seed}/${name}`,
    random: createRandom(`${seed}/${name}`),
    note: openNotes(path.join(history, `${name}.jsonl`), name),
    isOver: () => now() >= until || stopped?.aborted === true,
  };
}

/** Pauses of random length with work between them, until the workload ends. */
export async function whileOn(
  context: WorkloadContext,
  [low, high]: readonly [number, number],
  work: () => Promise<void>,
): Promise<void> {
  while (!context.isOver()) {
    await pause(context.random.between(low, high));
    if (!context.isOver()) await work();
  }
}

/** For talking to our own fixtures, which are as busy as everything else here. */
export async function persist<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries += 1)
    try {
      return await work();
    } catch (error) {
      if (tries === 5) throw error;
      await pause(100 * tries);
    }
}

/** In the environment of every server program, so that it is found whoever started it. */
export const ownerName = 'SOAK_OWNER';

export interface Found {
  readonly pid: number;
  readonly owner: string;
  readonly server: string;
  readonly cookie: string;
  readonly command: readonly string[];
}

/** All server processes of this soak, from the system's own list. */
export function scan(): readonly Found[] {
  return fs
    .readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .flatMap((pid): readonly Found[] => {
      const values = new Map(read(pid, 'environ').map((text) => pairOf(text)));
      const owner = values.get(ownerName);
      const server = values.get('SOAK_SERVER');
      if (owner === undefined || server === undefined || !isAlive(pid)) return [];
      return [{ pid, owner, server, cookie: values.get('HOLT_RUN') ?? '', command: read(pid, 'cmdline') }];
    });
}

function pairOf(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

function read(pid: number, what: 'environ' | 'cmdline'): readonly string[] {
  try {
    return fs.readFileSync(`/proc/${pid}/${what}`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

export interface Owner {
  readonly owner: string;
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** As the first line it prints comes. */
  readonly saidSomething: Promise<unknown>;
  stop(): void;
}

const programs = path.join(import.meta.dirname, 'programs');
export const programFile = (name: string): string => path.join(programs, `${name}.mjs`);
const bundledFile = (folder: string, name: string): string => path.join(folder, 'programs', `${name}.mjs`);

/** Makes the programs that use the library a few files each: many of them start, and each would read hundreds. */
export async function bundlePrograms(folder: string): Promise<void> {
  await build({
    entryPoints: ['soak-host', 'soak-policy', 'soak-login'].map(programFile),
    outdir: path.dirname(bundledFile(folder, '')),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['@napi-rs/keyring'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
}

/** Starts one of the programs; what it owns has to go when it ends. Its last words are wrong when it ends by itself. */
export function startOwner(context: WorkloadContext, program: string, owner: string, task: object): Owner {
  const history = path.join(context.history, `${owner}.jsonl`);
  const child = spawn(
    process.execPath,
    [
      bundledFile(path.dirname(context.folder), program),
      JSON.stringify({ owner, history, seed: `${context.seed}/${owner}`, ...task }),
    ],
    // Whoever is killed leaves its temporary files: they go with the folder.
    { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, TMPDIR: context.folder } },
  );
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined);
  context.note('owner.start', { owner, pid: child.pid ?? 0 });
  const ended = once(child, 'exit').then(([code, signal]: unknown[]) => {
    context.note('owner.end', { owner, how: String(signal ?? code) });
    if (signal === null && code !== 0 && code !== 3)
      context.note('wrong', { what: `${owner} ended by itself (${String(code)}): ${stderr.slice(-2000)}` });
    return typeof code === 'number' ? code : null;
  });
  return {
    owner,
    child,
    ended,
    saidSomething: Promise.race([once(child.stdout, 'data'), ended]),
    stop: () => void child.stdin.end(),
  };
}

/** Lets the program run for a while, from when it reports that it is ready or immediately; ends early with the workload. */
export async function outlive(
  context: WorkloadContext,
  owner: Owner,
  ms: number,
  isUp: boolean,
): Promise<void> {
  const isUnder = { way: isUp };
  void owner.saidSomething.then(() => (isUnder.way = true));
  while (!context.isOver() && !isUnder.way) await pause(50);
  const until = now() + ms;
  while (!context.isOver() && now() < until) await pause(50);
}

export function sendSignal(pid: number | undefined, name: NodeJS.Signals): boolean {
  try {
    return pid !== undefined && pid > 0 && process.kill(pid, name);
  } catch {
    return false;
  }
}
