/**
 * Combines several schemas into one: follows `$ref`, merges `allOf`, and notes what could not be combined.
 */

import { fieldOf, isList, isObject, type JsonObject, stringsIn } from '../../kernel/json.ts';
import { type Fit, type Place, spendOnNames } from './fit.ts';
import { resolveReference } from './references.ts';

export interface Flat {
  readonly schema: JsonObject;
  readonly notes: readonly string[];
  readonly enclosing: readonly unknown[];
  /** Set when a reference is circular: the schema that it refers to. */
  readonly cycle?: JsonObject;
}

const maxParts = 200;

export function flatten(schema: unknown, fit: Fit, place: Place): Flat {
  const state = {
    notes: [] as string[],
    enclosing: [...place.enclosing],
    parts: 0,
    cycle: undefined as JsonObject | undefined,
  };
  const gather = (part: unknown): JsonObject => {
    state.parts += 1;
    if (part === false) state.notes.push('no value is allowed');
    if (!isObject(part) || state.parts > maxParts || fit.workLeft < 0) return {};
    spendOnNames(1, fit);
    const { $ref: reference, allOf, ...own } = part;
    let merged: JsonObject = own;
    const add = (other: JsonObject): void => {
      spendOnMerge(merged, other, fit);
      merged = fit.workLeft < 0 ? merged : merge(merged, other, state.notes);
    };
    if (typeof reference === 'string') add(follow(reference));
    for (const each of isList(allOf) ? allOf.slice(0, maxParts) : []) add(gather(each));
    return merged;
  };
  const follow = (reference: string): JsonObject => {
    const target = resolveReference(reference, fit.root, fit.root)?.schema;
    if (target === undefined)
      state.notes.push(`refers to ${JSON.stringify(reference.slice(0, 80))}, which is not here`);
    if (!isObject(target)) return {};
    if (state.enclosing.includes(target)) {
      state.cycle = target;
      return {};
    }
    state.enclosing.push(target);
    return gather(target);
  };
  const merged = gather(schema);
  const { notes, enclosing, cycle } = state;
  return { schema: merged, notes, enclosing, ...(cycle === undefined ? {} : { cycle }) };
}

function spendOnMerge(first: JsonObject, second: JsonObject, fit: Fit): void {
  spendOnNames(Object.keys(first).length + Object.keys(second).length, fit);
  for (const properties of [first['properties'], second['properties']])
    if (isObject(properties) && fit.workLeft >= 0) spendOnNames(Object.keys(properties).length, fit);
}

/**
 * Returns a schema that requires what both require. Where one schema cannot express that, the first operand
 * stays and the other is noted.
 */
export function merge(first: JsonObject, second: JsonObject, notes: string[]): JsonObject {
  if (Object.keys(first).length === 0) return second;
  const merged: Record<string, unknown> = { ...first };
  for (const keyword of Object.keys(second)) {
    const mine = first[keyword];
    const other = second[keyword];
    merged[keyword] = Object.hasOwn(first, keyword) ? combineKeyword(keyword, mine, other, notes) : other;
  }
  return merged;
}

function combineKeyword(keyword: string, mine: unknown, other: unknown, notes: string[]): unknown {
  if (keyword === 'properties') return mergeProperties(mine, other);
  if (keyword === 'required') return [...new Set([...stringsIn(mine), ...stringsIn(other)])];
  const combined = combineOperands(keyword, mine, other);
  if (combined !== undefined) return combined;
  if (!isCompatible(keyword, mine, other)) notes.push(`a second "${keyword}" that also holds`);
  return mine;
}

function mergeProperties(mine: unknown, other: unknown): JsonObject {
  const first = isObject(mine) ? mine : {};
  const second = isObject(other) ? other : {};
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  return Object.fromEntries(
    names.map((name) => {
      const parts = [fieldOf(first, name), fieldOf(second, name)].filter((part) => part !== undefined);
      return [name, parts.length === 2 ? { allOf: parts } : parts[0]];
    }),
  );
}

const annotations = new Set([
  'title',
  'description',
  'default',
  'examples',
  '$comment',
  '$schema',
  '$id',
  '$defs',
  'definitions',
]);

/** Whether nothing is lost by ignoring the other operand. Annotations may differ. */
export function isCompatible(keyword: string, mine: unknown, other: unknown): boolean {
  return mine === other || annotations.has(keyword);
}

/** Returns the operand that requires both, or undefined when it cannot be determined. */
export function combineOperands(keyword: string, mine: unknown, other: unknown): unknown {
  if (typeof mine === 'number' && typeof other === 'number') {
    if (/^(?:min|exclusiveMin)/.test(keyword)) return Math.max(mine, other);
    if (/^(?:max|exclusiveMax)/.test(keyword)) return Math.min(mine, other);
  }
  if (keyword === 'type') return commonTypes(mine, other);
  if (keyword === 'enum' && isList(mine) && isList(other)) {
    const others = new Set(other);
    return mine.filter((value) => others.has(value));
  }
  if (keyword === 'additionalProperties' && (mine === false || other === false)) return false;
  return undefined;
}

function commonTypes(mine: unknown, other: unknown): unknown {
  const first = isList(mine) ? mine : [mine];
  const second = isList(other) ? other : [other];
  const common = first.filter(
    (type) => second.includes(type) || (type === 'integer' && second.includes('number')),
  );
  if (common.length === 0 && first.includes('number') && second.includes('integer')) return 'integer';
  return common.length === 1 ? common[0] : common.length === 0 ? undefined : common;
}
