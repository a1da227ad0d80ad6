/**
 * Combines the values of several layers:
 * one replaces the other, they are merged leaf by leaf, or they add up.
 */

import { isObject } from '../../kernel/json.ts';
import type { PermissionRule, Permissions } from '../values/permission-rules.ts';
import type { LayerName } from '../values/shapes.ts';

export interface Join<Value, Part> {
  merge(weaker: Value, given: Part, from: LayerName): Value;
  /** True if an administrator's value overrides at least part of `given`. */
  isLocked(given: Part, locked: Part): boolean;
}

/** The stronger value replaces the weaker one. */
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
    merged.set(key, isObject(value) && isObject(below) ? mergeLeaves(below, value) : value);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `weaker` is complete and no key is removed
  return Object.fromEntries(merged) as Value;
}

function differs(given: unknown, locked: unknown): boolean {
  return JSON.stringify(given) !== JSON.stringify(locked);
}

function overlaps(given: unknown, locked: unknown): boolean {
  if (!isObject(given) || !isObject(locked)) return differs(given, locked);
  return Object.entries(locked).some(
    ([key, value]) => Object.hasOwn(given, key) && overlaps(given[key], value),
  );
}

/**
 * Rules of all layers apply, since deny beats ask beats allow whatever the file. If an administrator sets a
 * list of allow rules, even an empty one, it replaces the allow rules of all others; their deny and ask rules
 * stay.
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
