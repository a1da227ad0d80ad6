/**
 * Stops a program in steps: close its input, then SIGTERM, then SIGKILL. Signals go to its whole process
 * group.
 */

import type { Clock } from '../../clock.ts';
import type { ProcessTree } from '../trees/process-facts.ts';
import { untilHolds } from '../trees/waiting.ts';
import { isWithin } from '../../waits.ts';

export interface StopSteps {
  /** How many milliseconds after closing the input to send SIGTERM. */
  readonly stdinMs: number;
  /** How many milliseconds after that to send SIGKILL. */
  readonly termMs: number;
}

export interface LadderParts {
  readonly pid: number;
  readonly exited: Promise<unknown>;
  readonly endInput: () => void;
  readonly clock: Clock;
  readonly tree: ProcessTree;
}

export interface Ladder {
  /** `isGone` is true when no process of the group is left. */
  climb(steps: StopSteps): Promise<{ readonly isGone: boolean; readonly wasSignalled: boolean }>;
  /** Skips the rest of the waiting times. */
  hurry(): void;
}

/**
 * Do not wait longer for a process that the kernel cannot end right now, such as one that waits for a disk.
 */
const killMs = 1000;

export function createLadder({ pid, exited, endInput, clock, tree }: LadderParts): Ladder {
  const over = new AbortController();
  const hurry = new AbortController();

  /** An event reports the leader's end, but the end of the rest of its group must be polled. */
  const emptied = async (): Promise<void> => {
    await exited;
    await untilHolds(async () => !(await tree.isGroupAlive(pid)), clock, over.signal);
  };
  const patience = (gone: Promise<void>, ms: number): Promise<boolean> =>
    isWithin(gone, ms, clock, hurry.signal);

  return {
    climb: async ({ stdinMs, termMs }) => {
      const gone = emptied();
      endInput();
      try {
        if (await patience(gone, stdinMs)) return { isGone: true, wasSignalled: false };
        if (!hurry.signal.aborted) await tree.signalGroup(pid, 'SIGTERM');
        if (await patience(gone, termMs)) return { isGone: true, wasSignalled: true };
        await tree.signalGroup(pid, 'SIGKILL');
        return { isGone: await isWithin(gone, killMs, clock), wasSignalled: true };
      } finally {
        over.abort();
      }
    },
    hurry: () => hurry.abort(),
  };
}
