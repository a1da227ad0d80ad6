/**
 * I2: a generation of a login is renewed once. A second request with a token that was spent is an attempt to do it twice;
 * the one excuse is that whoever got the answer was killed before it could be saved.
 */

import { groupBy, ofKind, type EntryOf } from '../history.ts';
import type { Check, Violation } from './violation.ts';

/** A request may reach the provider after the one who sent it is gone. */
const onTheWayMs = 2000;

export const killOfRefresher = 'kill refresher';

export const checkRefreshes: Check = (history) => {
  const kills = ofKind(history, 'fault').filter(({ fault }) => fault === killOfRefresher);
  const groups = groupBy(ofKind(history, 'refresh'), ({ record, generation }) => `${record} ${generation}`);
  const violations = [...groups.values()].flatMap((group) => [...twice(group), ...spent(group, kills)]);
  return { looked: groups.size, violations };
};

function twice(group: readonly EntryOf<'refresh'>[]): readonly Violation[] {
  const renewed = group.filter(({ outcome }) => outcome === 'ok');
  if (renewed.length < 2) return [];
  const message = `generation ${renewed[0]?.generation} was renewed ${renewed.length} times`;
  return [{ invariant: 'I2', message, slice: renewed }];
}

function spent(
  group: readonly EntryOf<'refresh'>[],
  kills: readonly EntryOf<'fault'>[],
): readonly Violation[] {
  const first = group.find(({ outcome }) => outcome === 'ok');
  if (first === undefined) return [];
  const [again, ...more] = group.filter(({ outcome, at }) => outcome === 'spent' && at >= first.at);
  if (again === undefined) return [];
  const isExcused = kills.some(({ at }) => at >= first.at - onTheWayMs && at <= again.at);
  const violations: Violation[] = [];
  if (!isExcused)
    violations.push({
      invariant: 'I2',
      message: `generation ${first.generation} was tried again although nobody was killed`,
      slice: [first, again],
    });
  if (more.length > 0)
    violations.push({
      invariant: 'I2',
      message: `generation ${first.generation} was tried again after the provider's final word`,
      slice: [first, again, ...more],
    });
  return violations;
}
