/** I1: no process with our cookie outlives its owner by more than five seconds. */

import { ofKind } from '../history.ts';
import type { Check, Violation } from './violation.ts';

export const graceMs = 5000;

export const checkProcesses: Check = (history) => {
  const ends = new Map(ofKind(history, 'owner.end').map((end) => [end.owner, end]));
  const spawns = ofKind(history, 'spawn');
  const spawnOf = new Map(spawns.map((spawn) => [spawn.pid, spawn]));
  const told = new Set<number>();
  const violations: Violation[] = [];
  for (const seen of ofKind(history, 'seen')) {
    const end = ends.get(seen.owner);
    const lateMs = end === undefined ? 0 : seen.at - end.at;
    if (end === undefined || lateMs <= graceMs || told.has(seen.pid)) continue;
    told.add(seen.pid);
    const spawn = spawnOf.get(seen.pid);
    violations.push({
      invariant: 'I1',
      message: `process ${seen.pid} of ${seen.server} lives ${Math.round(lateMs)} ms after ${seen.owner} ended (${end.how})`,
      slice: [...(spawn === undefined ? [] : [spawn]), end, seen],
    });
  }
  const bare = spawns.filter(({ cookie }) => cookie === '');
  violations.push(
    ...bare.map((spawn) => ({
      invariant: 'I1',
      message: `${spawn.server} was started without a cookie`,
      slice: [spawn],
    })),
  );
  return { looked: spawns.length, violations };
};
