/**
 * A tiny process that outlives us by a moment: when we die, by whatever, it ends all that we have started. One for all
 * programs, begun with the first of them. It hears of our death by the end of a pipe, so nothing has to be polled.
 */

import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { realClock, type Clock } from './clock.ts';
import { nodeScript, shellScript } from './processes/guardian-script.ts';
import { createKeptChild } from './processes/kept-child.ts';
import type { ProcessIdentity } from './processes/process-facts.ts';

export interface Guardian {
  /** Before a program starts: what carries this run's cookie is ours from now on. */
  expect(run: string): void;
  /**
   * Once its process group is known, and again when more is known: processes that are ended with everything below
   * them, as long as their numbers are still theirs. A group of 0 is none.
   */
  watch(run: string, group: number, processes?: readonly ProcessIdentity[]): void;
  /** Only when nothing of it is left: its numbers may be given to others now. */
  release(run: string): void;
  readonly pid: number | undefined;
  /** Lets it go. What is still watched then ends at once. */
  close(): Promise<void>;
}

export interface GuardianParts {
  readonly clock?: Clock;
  /** Told once when it had to be started again, and whenever it cannot be. */
  readonly onWarning?: (message: string) => void;
  /** Given what it has to know from its first moment on, an entry for each run as `guardian-script.ts` reads them. */
  readonly start?: (known: readonly string[]) => ChildProcess;
}

export function createGuardian({
  clock = realClock,
  onWarning,
  start = startGuardian,
}: GuardianParts = {}): Guardian {
  /** What follows the run in its entry. */
  const known = new Map<string, string>();
  let isWarned = false;
  const child = createKeptChild({
    clock,
    // Told at its birth, not by a message afterwards: we may be killed in between.
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
    // The script compares starts as `/proc` has them. Elsewhere the next start ends what the guardian cannot.
    const comparable = processes.filter((each) => /^\d+$/.test(each.start));
    const rest = [group, ...comparable.map((each) => `${each.pid}=${each.start}`)].join(':');
    known.set(run, rest);
    // A new one is told everything when it starts.
    if (child.pid === undefined) child.begin();
    else child.say(`add ${run} ${rest}`);
  };
  return {
    expect: (run) => add(run, 0),
    watch: add,
    release: (run) => {
      if (known.delete(run)) child.say(`remove ${run}`);
    },
    get pid() {
      return child.pid;
    },
    close: () => child.close(),
  };
}

/** In a session of its own, so that Ctrl-C does not reach it, and with none of our variables: it is nobody's server. */
function startGuardian(known: readonly string[]): ChildProcess {
  const hasShell = process.platform !== 'win32' && fs.existsSync('/bin/sh');
  return hasShell ? startShellGuardian(known) : startNodeGuardian(known);
}

/** The working folder is the root: no disk stays busy because of it. */
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

/** Where there is no shell. Ten times the memory, but everywhere where we are. */
export function startNodeGuardian(known: readonly string[]): ChildProcess {
  const { SystemRoot = '' } = process.env;
  // In a program packed by Electron or `bun build --compile`, the executable would run that program once more instead.
  const env = { SystemRoot, ELECTRON_RUN_AS_NODE: '1', BUN_BE_BUN: '1' };
  return spawn(process.execPath, ['-e', nodeScript, 'holt-guardian', ...known], { ...common, env });
}
