/** Leaves malformed fields out of an object that is otherwise fine. Copies only when there is something to leave out. */

import type { EntryShape, FieldChecks, Fields } from './checks.ts';

export interface Kept {
  readonly value: Fields;
  /** Names of fields that were there and had to go. A null in place of nothing is too common to speak of. */
  readonly dropped: readonly string[];
}

const nothing: readonly string[] = [];

export function keepGood(value: Fields, may: FieldChecks): Kept {
  let bad: string[] | undefined;
  for (const [name, check] of may) {
    const given = value[name];
    if (given !== undefined && !check(given)) (bad ??= []).push(name);
  }
  if (bad === undefined) return { value, dropped: nothing };
  const good = Object.fromEntries(Object.entries(value).filter(([name]) => !bad.includes(name)));
  return { value: good, dropped: bad.filter((name) => value[name] !== null) };
}

/** The first thing an entry cannot do without and does not have. */
export function firstMissing(value: Fields, needs: FieldChecks): string | undefined {
  for (const [name, check] of needs) {
    if (!check(value[name])) return name;
  }
  return undefined;
}

/** True for an entry that needs nothing done: nearly all of them. */
export function isSound(value: Fields, { needs, may }: EntryShape): boolean {
  for (const [name, check] of needs) {
    if (!check(value[name])) return false;
  }
  for (const [name, check] of may) {
    const given = value[name];
    if (given !== undefined && !check(given)) return false;
  }
  return true;
}
