/** Ends a program step by step: its input ends, then it is asked, then it is killed, each with everything in its group. */

import type { Clock } from '../clock.ts';
import type { ProcessTree } from './process-facts.ts';
import { isWithin, untilHolds } from './waiting.ts';

export interface StopSteps {
  /** How long after the end of its input it is asked to go. */
  readonly stdinMs: number;
  /** How long after that it is killed. */
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
  /** True when nothing of the group is left. */
  climb(steps: StopSteps): Promise<{ readonly isGone: boolean; readonly wasSignalled: boolean }>;
  /** Skips what is left of the steps. */
  hurry(): void;
}

/** A process that the kernel cannot end right now (waiting for a disk) is not waited for any longer. */
const killMs = 1000;

export function createLadder({ pid, exited, endInput, clock, tree }: LadderParts): Ladder {
  const over = new AbortController();
  const hurry = new AbortController();

  /** The leader's end is told; that of those it left behind has to be looked for. */
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
