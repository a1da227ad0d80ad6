/**
 * How the values of several layers become one: a value replaces another, is merged leaf by leaf, or adds up. What
 * comes with a repository may only make holt stricter.
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

export interface IgnoredRule {
  readonly kind: 'ignored';
  readonly says: string;
}

/** The value applies unchanged, or not at all. */
export interface CheckedRule<Value, Part> {
  readonly kind: 'checked';
  readonly says: string;
  /** Returns why the value does not apply, or `undefined` if it does. */
  refuse(ceiling: Value, given: Part): string | undefined;
}

/** Whatever goes beyond the ceiling is removed. */
export interface CutRule<Value, Part> {
  readonly kind: 'cut';
  readonly says: string;
  cut(ceiling: Value, given: Part): Cut<Part>;
}

export interface Cut<Part> {
  /** Undefined when nothing is left. */
  readonly value: Part | undefined;
  /** Why parts of the value do not apply. */
  readonly refused: readonly string[];
}

export type ProjectRule<Value, Part> = IgnoredRule | CheckedRule<Value, Part> | CutRule<Value, Part>;

export const ignored: IgnoredRule = { kind: 'ignored', says: 'it is not read from a project’s file' };

/** A number that may only get smaller. */
export const onlySmaller: CheckedRule<number, number> = {
  kind: 'checked',
  says: 'it may only get smaller in a project’s file',
  refuse: (ceiling, given) =>
    given <= ceiling ? undefined : `${given} is more than the ${ceiling} that holds without it`,
};

/**
 * Accepts every word except the refused ones.
 * A word that the user has already chosen is accepted, as it changes nothing.
 */
export function allBut(isRefused: (word: string) => boolean, says: string): CheckedRule<string, string> {
  return {
    kind: 'checked',
    says,
    refuse: (ceiling, given) =>
      given === ceiling || !isRefused(given) ? undefined : `"${given}" is not a project’s to choose`,
  };
}

/** Accepts everything: parts add up, and their origin distinguishes them later. */
export function unlimited(says: string): CheckedRule<unknown, unknown> {
  return { kind: 'checked', says, refuse: () => undefined };
}

/**
 * An object of numbers, each of which may only get smaller.
 * `otherwise` has the limits that apply where nothing is set.
 */
export function onlySmallerLeaves<Value extends object>(otherwise: Value): CutRule<Value, Partial<Value>> {
  return {
    kind: 'cut',
    says: 'it may only get smaller in a project’s file',
    cut(ceiling, given) {
      const refused: string[] = [];
      const value = lowerLeaves(given, [ceiling, otherwise], (path, found, limit) => {
        refused.push(`${path.join('.')} ${found} is more than the ${limit} that holds without it`);
      });
      return { value: Object.keys(value).length === 0 ? undefined : value, refused };
    },
  };
}

type Refuse = (path: readonly string[], found: number, limit: number) => void;

/** `limits` in order of preference: the first that has a leaf decides. */
function lowerLeaves<Part extends object>(given: Part, limits: readonly object[], refuse: Refuse): Part {
  const kept = Object.entries(given).flatMap(
    ([key, value]: [string, unknown]): readonly [string, unknown][] => {
      const below = limits.flatMap((limit) => new Map<string, unknown>(Object.entries(limit)).get(key) ?? []);
      if (isObject(value)) {
        const refuseBelow: Refuse = (path, ...numbers) => refuse([key, ...path], ...numbers);
        const inner = lowerLeaves(value, below.filter(isObject), refuseBelow);
        return Object.keys(inner).length === 0 ? [] : [[key, inner]];
      }
      const limit = below.find((candidate) => typeof candidate === 'number') ?? Infinity;
      if (typeof value !== 'number' || value <= limit) return [[key, value]];
      refuse([key], value, limit);
      return [];
    },
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- leaves are only removed, and each is optional
  return Object.fromEntries(kept) as Part;
}

/** Agents may be excluded and ranked; the agents that the user excludes stay excluded. */
export const onlyNarrowAgents: CutRule<readonly string[], readonly string[]> = {
  kind: 'cut',
  says: 'a project’s file may leave agents out and rank them; it cannot add any that you leave out',
  cut(ceiling, given) {
    const added = included(given).filter((word) => word !== '*' && !isSelected(ceiling, word));
    const refused = added.map((word) => `"${word}" is not among the agents that are read without it`);
    return { value: narrowAgents(ceiling, given), refused };
  },
};

function included(words: readonly string[]): readonly string[] {
  return words.filter((word) => !word.startsWith('!'));
}

function excluded(words: readonly string[]): readonly string[] {
  return words.filter((word) => word.startsWith('!'));
}

/** A list of exclusions alone selects all other agents; an empty list selects none. */
function isOpen(words: readonly string[]): boolean {
  return words.includes('*') || (words.length > 0 && included(words).length === 0);
}

function isSelected(words: readonly string[], id: string): boolean {
  return !words.includes(`!${id}`) && (isOpen(words) || words.includes(id));
}

/**
 * Returns what both lists select, in the order of the second.
 * Its `*` stands for the rest, in the order of the first.
 */
function narrowAgents(ceiling: readonly string[], given: readonly string[]): readonly string[] {
  const named = included(given).filter((word) => word !== '*' && isSelected(ceiling, word));
  if (!isOpen(given)) return named.filter((word) => !given.includes(`!${word}`));

  const all = isOpen(ceiling) && included(ceiling).length === 0 ? ['*'] : included(ceiling);
  const rest = all.filter((word) => !named.includes(word));
  const words = included(given).length === 0 ? ['*'] : included(given);
  const ranked = words.flatMap((word) => (word === '*' ? rest : [word].filter((id) => named.includes(id))));
  // Exclusions alone would select all other agents.
  if (ranked.length === 0) return [];
  return [...ranked, ...new Set([...excluded(ceiling), ...excluded(given)])];
}
