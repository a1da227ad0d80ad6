/** How the values of several layers go together: one wins, or they are merged leaf by leaf, or they add up. */

import type { PermissionRule, Permissions } from '../values/permission-rules.ts';
import { isPlainObject, type LayerName } from '../values/shapes.ts';

export interface Join<Value, Part> {
  merge(weaker: Value, given: Part, from: LayerName): Value;
  /** Would `given` be lost, at least in part, under what an administrator has set? */
  isLocked(given: Part, locked: Part): boolean;
}

/** The stronger value stands alone. */
export function replace<Value>(): Join<Value, Value> {
  return { merge: (_, given) => given, isLocked: differs };
}

/** Each leaf of an object comes from the strongest layer that has it. Lists are leaves. */
export function leaves<Value extends object>(): Join<Value, Partial<Value>> {
  return { merge: mergeLeaves, isLocked: overlaps };
}

function mergeLeaves<Value extends object>(weaker: Value, given: object): Value {
  const merged = new Map<string, unknown>(Object.entries(weaker));
  for (const [key, value] of Object.entries(given) as [string, unknown][]) {
    const below = merged.get(key);
    merged.set(key, isPlainObject(value) && isPlainObject(below) ? mergeLeaves(below, value) : value);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the weaker one was whole and nothing is taken away
  return Object.fromEntries(merged) as Value;
}

function differs(given: unknown, locked: unknown): boolean {
  return JSON.stringify(given) !== JSON.stringify(locked);
}

function overlaps(given: unknown, locked: unknown): boolean {
  if (!isPlainObject(given) || !isPlainObject(locked)) return differs(given, locked);
  return Object.entries(locked).some(
    ([key, value]) => Object.hasOwn(given, key) && overlaps(given[key], value),
  );
}

/**
 * Rules of all layers count, since deny beats ask beats allow whatever the file. An administrator who has a list of
 * allow rules, even an empty one, takes the others' away; their deny and ask rules stay.
 */
export const addRules: Join<Permissions, Partial<Permissions>> = {
  merge: (weaker, given, from) => ({
    allow: from === 'managed' && given.allow !== undefined ? given.allow : add(weaker.allow, given.allow),
    ask: add(weaker.ask, given.ask),
    deny: add(weaker.deny, given.deny),
  }),
  isLocked: (given, locked) => locked.allow !== undefined && (given.allow?.length ?? 0) > 0,
};

function add(
  weaker: readonly PermissionRule[],
  given: readonly PermissionRule[] = [],
): readonly PermissionRule[] {
  return [...given, ...weaker];
}
