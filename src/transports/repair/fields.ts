/**
 * Removes malformed optional fields from an object. Copies the object only when a field has to be removed.
 */

import type { JsonObject } from '../../kernel/json.ts';
import type { EntryShape, FieldChecks } from './checks.ts';

export interface Kept {
  readonly value: JsonObject;
  /**
   * Names of the removed fields. JsonObject that were null are not reported, because servers often send null for
   * an absent field.
   */
  readonly dropped: readonly string[];
}

const nothing: readonly string[] = [];

/** Removes the fields in `may` that are present and fail their check. */
export function keepGood(value: JsonObject, may: FieldChecks): Kept {
  let bad: string[] | undefined;
  for (const [name, check] of may) {
    const given = value[name];
    if (given !== undefined && !check(given)) (bad ??= []).push(name);
  }
  if (bad === undefined) return { value, dropped: nothing };
  const good = Object.fromEntries(Object.entries(value).filter(([name]) => !bad.includes(name)));
  return { value: good, dropped: bad.filter((name) => value[name] !== null) };
}

/** Returns the name of the first required field that is missing or malformed. */
export function firstMissing(value: JsonObject, needs: FieldChecks): string | undefined {
  for (const [name, check] of needs) {
    if (!check(value[name])) return name;
  }
  return undefined;
}

/** True for an entry that needs no repair, which is nearly every entry. */
export function isSound(value: JsonObject, { needs, may }: EntryShape): boolean {
  for (const [name, check] of needs) {
    if (!check(value[name])) return false;
  }
  for (const [name, check] of may) {
    const given = value[name];
    if (given !== undefined && !check(given)) return false;
  }
  return true;
}
