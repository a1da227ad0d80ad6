/**
 * A tiny process that briefly outlives holt and ends all server processes when holt dies for any reason. One
 * guardian serves all programs; it starts with the first. It detects holt's death by the end of a pipe,
 * without polling.
 */

import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';

import { realClock, type Clock } from '../clock.ts';
import { nodeScript, shellScript } from './servers/guardian-script.ts';
import type { ProcessIdentity } from './trees/process-facts.ts';

export interface Guardian {
  /** Call before a program starts. From then on, processes with this run's cookie belong to holt. */
  expect(run: string): void;
  /**
   * Call when the process group is known, and again when more is known. The guardian ends these processes and
   * all their descendants, unless their pids have been reused. A group of 0 means that there is none.
   */
  watch(run: string, group: number, processes?: readonly ProcessIdentity[]): void;
  /** Call only when nothing of the run is left, because the system may now reuse its pids. */
  release(run: string): void;
  readonly pid: number | undefined;
  /** Stops the guardian. It immediately ends everything that is still being watched. */
  close(): Promise<void>;
}

export interface GuardianParts {
  readonly clock?: Clock;
  /** Called the first time the guardian had to be restarted, and whenever it cannot be. */
  readonly onWarning?: (message: string) => void;
  /**
   * Starts the process with the entries it needs from the start, one per run, in the format of
   * `guardian-script.ts`.
   */
  readonly start?: (known: readonly string[]) => ChildProcess;
}

export function createGuardian({
  clock = realClock,
  onWarning,
  start = startGuardian,
}: GuardianParts = {}): Guardian {
  /** Maps each run to the rest of its entry. */
  const known = new Map<string, string>();
  let isWarned = false;
  const child = createRestartingChild({
    clock,
    // Passed as arguments instead of a message: holt could be killed before it sends the message.
    start: () => start([...known].map((entry) => entry.join(':'))),
    isWanted: () => known.size > 0,
    onEnded: (next) => {
      if (next === 'given-up')
        onWarning?.('The guardian does not stay up: if holt is killed, its servers may live on.');
      else if (!isWarned) onWarning?.('The guardian was ended and is started again.');
      isWarned = true;
    },
  });
  const add: Guardian['watch'] = (run, group, processes = []) => {
    // The script compares start times as in `/proc`. On other systems, the next start of holt ends what the
    // guardian cannot.
    const comparable = processes.filter((each) => /^\d+$/.test(each.start));
    const rest = [group, ...comparable.map((each) => `${each.pid}=${each.start}`)].join(':');
    known.set(run, rest);
    // A new guardian receives all entries when it starts.
    if (child.pid === undefined) child.begin();
    else child.send(`add ${run} ${rest}`);
  };
  return {
    expect: (run) => add(run, 0),
    watch: add,
    release: (run) => {
      if (known.delete(run)) child.send(`remove ${run}`);
    },
    get pid() {
      return child.pid;
    },
    close: () => child.close(),
  };
}

/** Starts in its own session, so that Ctrl-C does not reach it, and without holt's environment variables. */
function startGuardian(known: readonly string[]): ChildProcess {
  const hasShell = process.platform !== 'win32' && fs.existsSync('/bin/sh');
  return hasShell ? startShellGuardian(known) : startNodeGuardian(known);
}

/** The root is the working folder, so that the guardian does not keep another disk from being unmounted. */
const common = {
  cwd: path.parse(process.execPath).root,
  stdio: ['pipe', 'ignore', 'ignore'] as ['pipe', 'ignore', 'ignore'],
  detached: true,
  windowsHide: true,
};

function startShellGuardian(known: readonly string[]): ChildProcess {
  const { PATH = '/usr/bin:/bin' } = process.env;
  return spawn('/bin/sh', ['-c', shellScript, 'holt-guardian', ...known], { ...common, env: { PATH } });
}

/** For systems without a shell. Takes ten times the memory, but runs wherever holt runs. */
export function startNodeGuardian(known: readonly string[]): ChildProcess {
  const { SystemRoot = '' } = process.env;
  // In an app packaged with Electron or `bun build --compile`, the executable would otherwise start that app
  // again.
  const env = { SystemRoot, ELECTRON_RUN_AS_NODE: '1', BUN_BE_BUN: '1' };
  return spawn(process.execPath, ['-e', nodeScript, 'holt-guardian', ...known], { ...common, env });
}

interface RestartingChildParts {
  readonly clock: Clock;
  readonly start: () => ChildProcess;
  readonly isWanted: () => boolean;
  readonly onEnded: (next: 'again' | 'given-up') => void;
}

interface RestartingChild {
  readonly pid: number | undefined;
  begin(): void;
  send(line: string): void;
  close(): Promise<void>;
}

/**
 * Delays between restarts. The first is immediate; after the last one, the helper only restarts on the next
 * `begin`.
 */
const retryMs = [0, 50, 100, 200, 400, 800];
const longEnoughMs = 1000;

function createRestartingChild({ clock, start, isWanted, onEnded }: RestartingChildParts): RestartingChild {
  let child: ChildProcess | undefined;
  let ended: Promise<void> = Promise.resolve();
  let failures = 0;
  let isClosed = false;

  const begin = (): void => {
    if (child !== undefined || isClosed || !isWanted()) return;
    const startedAt = clock.now();
    const started = startOrNothing();
    if (started === undefined) return failed(startedAt);
    child = started;
    detach(started);
    ended = new Promise((resolve) => {
      const end = (): void => {
        resolve();
        if (child !== started) return;
        child = undefined;
        failed(startedAt);
      };
      started.once('exit', end).once('error', end);
    });
  };
  /** A failure to start counts like an early exit: it may be temporary. */
  const startOrNothing = (): ChildProcess | undefined => {
    try {
      return start();
    } catch {
      return undefined;
    }
  };
  const failed = (startedAt: number): void => {
    failures = clock.now() - startedAt > longEnoughMs ? 1 : failures + 1;
    if (isClosed || !isWanted()) return;
    const delayMs = retryMs[failures - 1];
    onEnded(delayMs === undefined ? 'given-up' : 'again');
    if (delayMs !== undefined) clock.setTimer(delayMs, begin);
  };

  return {
    begin,
    get pid() {
      return child?.pid;
    },
    send: (line) => {
      if (child?.stdin?.writable === true) child.stdin.write(`${line}\n`);
    },
    close: async () => {
      isClosed = true;
      child?.ref();
      child?.stdin?.end();
      await ended;
    },
  };
}

function detach(child: ChildProcess): void {
  // `exit` already reports the end, so ignore the error of the broken pipe.
  child.stdin?.on('error', () => undefined);
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
}
