/** Leaves malformed fields out of an object that is otherwise fine. Copies only when there is something to leave out. */

import type { Check, EntryShape, Fields } from './checks.ts';

export interface Kept {
  readonly value: Fields;
  /** Names of fields that were there and had to go. A null in place of nothing is too common to speak of. */
  readonly dropped: readonly string[];
}

const nothing: readonly string[] = [];

export function keepGood(value: Fields, may: Readonly<Record<string, Check>>): Kept {
  let bad: string[] | undefined;
  for (const name in may) {
    const given = value[name];
    if (given !== undefined && may[name]?.(given) === false) (bad ??= []).push(name);
  }
  if (bad === undefined) return { value, dropped: nothing };
  const good = Object.fromEntries(Object.entries(value).filter(([name]) => !bad.includes(name)));
  return { value: good, dropped: bad.filter((name) => value[name] !== null) };
}

/** The first thing an entry cannot do without and does not have. */
export function firstMissing(value: Fields, needs: EntryShape['needs']): string | undefined {
  for (const name in needs) {
    if (needs[name]?.(value[name]) === false) return name;
  }
  return undefined;
}
