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

export interface Guardian {
  /** Before a program starts: what carries this run's cookie is ours from now on. */
  expect(run: string): void;
  /** Once its process group is known. */
  watch(run: string, group: number): void;
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
  /** Given what it has to know from its first moment on, `RUN:GROUP` each. */
  readonly start?: (known: readonly string[]) => ChildProcess;
}

export function createGuardian({
  clock = realClock,
  onWarning,
  start = startGuardian,
}: GuardianParts = {}): Guardian {
  const groups = new Map<string, number>();
  let isWarned = false;
  const child = createKeptChild({
    clock,
    // Told at its birth, not by a message afterwards: we may be killed in between.
    start: () => start([...groups].map(([run, group]) => `${run}:${group}`)),
    isWanted: () => groups.size > 0,
    onEnded: (next) => {
      if (next === 'given-up')
        onWarning?.('The guardian does not stay up: if holt is killed, its servers may live on.');
      else if (!isWarned) onWarning?.('The guardian was ended and is started again.');
      isWarned = true;
    },
  });
  const add = (run: string, group: number): void => {
    groups.set(run, group);
    // A new one is told everything when it starts.
    if (child.pid === undefined) child.begin();
    else child.say(`add ${run} ${group}`);
  };
  return {
    expect: (run) => add(run, 0),
    watch: add,
    release: (run) => {
      if (groups.delete(run)) child.say(`remove ${run}`);
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
  const env = { SystemRoot, ELECTRON_RUN_AS_NODE: '1' };
  return spawn(process.execPath, ['-e', nodeScript, 'holt-guardian', ...known], { ...common, env });
}
