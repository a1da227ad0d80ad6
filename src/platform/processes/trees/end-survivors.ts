/**
 * Ends processes that outlived their server, and all their descendants: SIGTERM first, then SIGKILL. They are
 * suspended before they are killed, because a running process could start another one between the search and
 * the kill.
 */

import type { Clock } from '../../clock.ts';
import { isWithin } from '../../waits.ts';
import { identitiesOf, keyOf, type ProcessIdentity, type ProcessTree } from './process-facts.ts';
import { untilHolds } from './waiting.ts';

export interface EndSurvivorsParts {
  readonly tree: ProcessTree;
  readonly clock: Clock;
  /** How many milliseconds they may take to exit after SIGTERM. With 0 they are killed immediately. */
  readonly graceMs: number;
  /** When aborted, skips the rest of that time. */
  readonly hurried?: AbortSignal;
}

export interface SurvivorsEnd {
  readonly ended: number;
  /**
   * Processes that could not be ended: they belong to another user, or the kernel cannot end them right now.
   */
  readonly left: readonly ProcessIdentity[];
}

const killMs = 1000;
const maxRounds = 5;

export async function endSurvivors(
  known: readonly ProcessIdentity[],
  { tree, clock, graceMs, hurried }: EndSurvivorsParts,
): Promise<SurvivorsEnd> {
  const look = async (at: readonly ProcessIdentity[]): Promise<readonly ProcessIdentity[]> =>
    identitiesOf(await tree.findDescendants(undefined, at));
  const areGone = (targets: readonly ProcessIdentity[], ms: number, cancelled?: AbortSignal) =>
    isGoneWithin(async () => (await look(targets)).length === 0, ms, clock, cancelled);

  const asked = known.length === 0 ? [] : await look(known);
  if (asked.length === 0) return { ended: 0, left: [] };
  if (graceMs > 0 && hurried?.aborted !== true) {
    for (const target of asked) await tree.signalProcess(target, 'SIGTERM');
    if (await areGone(asked, graceMs, hurried)) return { ended: asked.length, left: [] };
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
