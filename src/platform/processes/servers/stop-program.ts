/** Stops a program and the processes that outlived it, in steps: end of input, SIGTERM, SIGKILL. */

import type { Clock } from '../../clock.ts';
import { isWithin, untilHolds } from '../../waits.ts';
import { identitiesOf, keyOf, type ProcessIdentity, type ProcessTree } from '../trees/process-facts.ts';

export interface StopSteps {
  /** How many milliseconds after closing the input to send SIGTERM. */
  readonly stdinMs: number;
  /** How many milliseconds after that to send SIGKILL. */
  readonly termMs: number;
}

interface StopSequenceParts {
  readonly pid: number;
  readonly exited: Promise<unknown>;
  readonly endInput: () => void;
  readonly clock: Clock;
  readonly tree: ProcessTree;
}

export interface StopSequence {
  /** `isGone` is true when no process of the group is left. */
  run(steps: StopSteps): Promise<{ readonly isGone: boolean; readonly wasSignalled: boolean }>;
  /** Skips the rest of the waiting times. */
  skipWaits(): void;
}

/**
 * Do not wait longer for a process that the kernel cannot end right now, such as one that waits for a disk.
 */
const killMs = 1000;

export function createStopSequence({ pid, exited, endInput, clock, tree }: StopSequenceParts): StopSequence {
  const over = new AbortController();
  const skipped = new AbortController();

  /** An event reports the leader's end, but the end of the rest of its group must be polled. */
  const emptied = async (): Promise<void> => {
    await exited;
    await untilHolds(async () => !(await tree.isGroupAlive(pid)), clock, over.signal);
  };
  const patience = (gone: Promise<void>, ms: number): Promise<boolean> =>
    isWithin(gone, ms, clock, skipped.signal);

  return {
    run: async ({ stdinMs, termMs }) => {
      const gone = emptied();
      endInput();
      try {
        if (await patience(gone, stdinMs)) return { isGone: true, wasSignalled: false };
        if (!skipped.signal.aborted) await tree.signalGroup(pid, 'SIGTERM');
        if (await patience(gone, termMs)) return { isGone: true, wasSignalled: true };
        await tree.signalGroup(pid, 'SIGKILL');
        return { isGone: await isWithin(gone, killMs, clock), wasSignalled: true };
      } finally {
        over.abort();
      }
    },
    skipWaits: () => skipped.abort(),
  };
}

interface EndSurvivorsParts {
  readonly tree: ProcessTree;
  readonly clock: Clock;
  /** How many milliseconds they may take to exit after SIGTERM. With 0 they are killed immediately. */
  readonly graceMs: number;
  /** When aborted, skips the rest of that time. */
  readonly skipsGrace?: AbortSignal;
}

export interface SurvivorsEnd {
  readonly ended: number;
  /**
   * Processes that could not be ended: they belong to another user, or the kernel cannot end them right now.
   */
  readonly left: readonly ProcessIdentity[];
}

const maxRounds = 5;

export async function endSurvivors(
  known: readonly ProcessIdentity[],
  { tree, clock, graceMs, skipsGrace }: EndSurvivorsParts,
): Promise<SurvivorsEnd> {
  const look = async (at: readonly ProcessIdentity[]): Promise<readonly ProcessIdentity[]> =>
    identitiesOf(await tree.findDescendants(undefined, at));
  const areGone = (targets: readonly ProcessIdentity[], ms: number, cancelled?: AbortSignal) =>
    isGoneWithin(async () => (await look(targets)).length === 0, ms, clock, cancelled);

  const asked = known.length === 0 ? [] : await look(known);
  if (asked.length === 0) return { ended: 0, left: [] };
  if (graceMs > 0 && skipsGrace?.aborted !== true) {
    for (const target of asked) await tree.signalProcess(target, 'SIGTERM');
    if (await areGone(asked, graceMs, skipsGrace)) return { ended: asked.length, left: [] };
  }

  const targets = new Map(asked.map((target) => [keyOf(target), target]));
  const stopped = new Set<string>();
  for (let round = 0; round < maxRounds; round += 1) {
    const fresh = (await look([...targets.values()])).filter((target) => !stopped.has(keyOf(target)));
    if (fresh.length === 0) break;
    for (const target of fresh) {
      await tree.signalProcess(target, 'SIGSTOP');
      stopped.add(keyOf(target));
      targets.set(keyOf(target), target);
    }
  }
  for (const target of targets.values()) await tree.signalProcess(target, 'SIGKILL');
  await areGone([...targets.values()], killMs);
  const left = await look([...targets.values()]);
  return { ended: Math.max(0, targets.size - left.length), left };
}

async function isGoneWithin(
  check: () => Promise<boolean>,
  ms: number,
  clock: Clock,
  cancelled?: AbortSignal,
): Promise<boolean> {
  const over = new AbortController();
  try {
    return await isWithin(untilHolds(check, clock, over.signal), ms, clock, cancelled);
  } finally {
    over.abort();
  }
}
