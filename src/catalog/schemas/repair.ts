/**
 * Repairs arguments that a model got slightly wrong: a string for a number, JSON as a string, one value for a
 * list, null for something omitted. A valid value is never changed, and a change that does not help is
 * dropped.
 */

import type { MaybePromise } from '../../kernel/type-tools.ts';
import {
  fieldOf,
  isList,
  isObject,
  type JsonObject,
  type JsonType,
  jsonTypeOf,
  putField,
  stringsIn,
} from '../../kernel/json.ts';
import { runSteps, wait, type Steps, some } from './loops.ts';
import { isPauseDue, mayEnter, namesOf, passes, pathText, spend, takePause, type Walk } from './walk.ts';
import { targetOf, inResource } from './references.ts';
import { booleanIn, maxVisits, numberIn, structureIn, typesOf } from './types.ts';

export interface Repaired {
  readonly value: unknown;
  /** Where and what was changed, never the value: it may be a secret. */
  readonly notes: readonly string[];
}

/** Repairs the value as far as the schema says how. The caller must check the whole value again. */
export function repair(schema: unknown, value: unknown, walk: Walk): MaybePromise<Repaired> {
  return runSteps(repairSteps(schema, value, walk));
}

function unchanged(value: unknown): Repaired {
  return { value, notes: [] };
}

function* repairSteps(schema: unknown, value: unknown, walk: Walk): Steps<Repaired> {
  if (!isObject(schema) || !mayEnter(walk)) return unchanged(value);
  if (yield* wait(passes(walk, schema, value))) return unchanged(value);
  walk.depth += 1;
  const repaired = yield* repairFailing(schema, value, walk);
  walk.depth -= 1;
  return repaired;
}

function* repairFailing(schema: JsonObject, value: unknown, walk: Walk): Steps<Repaired> {
  let best = yield* repairInside(schema, value, walk);
  best = combined(best, yield* repairThroughReference(schema, best.value, walk));
  best = combined(best, yield* repairThroughParts(schema, best.value, walk));
  if (yield* wait(passes(walk, schema, best.value))) return best;
  for (const converted of conversions(schema, value, walk)) {
    const next = combined(converted, yield* repairInside(schema, converted.value, walk));
    if (yield* wait(passes(walk, schema, next.value))) return next;
  }
  return best;
}

/** The second repair applied on top of the first, with the notes of both. */
function combined(first: Repaired, second: Repaired): Repaired {
  return second.notes.length === 0
    ? first
    : { value: second.value, notes: [...first.notes, ...second.notes] };
}

function* repairInside(schema: JsonObject, value: unknown, walk: Walk): Steps<Repaired> {
  if (isObject(value)) return yield* repairFields(schema, value, walk);
  if (isList(value) && isObject(schema['items'])) return yield* repairItems(schema['items'], value, walk);
  return unchanged(value);
}

function* repairFields(schema: JsonObject, value: JsonObject, walk: Walk): Steps<Repaired> {
  const properties = schema['properties'];
  if (!isObject(properties)) return unchanged(value);
  const required = new Set(stringsIn(schema['required']));
  spend(walk, required.size / namesInStep);
  const fields: Record<string, unknown> = {};
  const notes: string[] = [];
  for (const name of namesOf(value, walk)) {
    if (!spend(walk, 1 / namesInStep)) return unchanged(value);
    if (isPauseDue(walk)) yield takePause(walk);
    const property = fieldOf(properties, name);
    walk.path.push(name);
    const isOmitted =
      value[name] === null &&
      property !== undefined &&
      !required.has(name) &&
      !(yield* wait(passes(walk, property, null)));
    if (isOmitted) {
      notes.push(`${pathText(walk.path)}: null left out`);
    } else {
      const repaired = yield* repairSteps(property, value[name], walk);
      putField(fields, name, repaired.value);
      for (const note of repaired.notes) notes.push(note);
    }
    walk.path.pop();
  }
  return notes.length === 0 ? unchanged(value) : { value: fields, notes };
}

/** How many names or list items are visited in one step of work. */
const namesInStep = 8;

function* repairItems(schema: JsonObject, value: readonly unknown[], walk: Walk): Steps<Repaired> {
  const notes: string[] = [];
  const items: unknown[] = [];
  for (const [at, item] of value.entries()) {
    if (!spend(walk, 1 / namesInStep)) return unchanged(value);
    if (isPauseDue(walk)) yield takePause(walk);
    walk.path.push(at);
    const repaired = yield* repairSteps(schema, item, walk);
    walk.path.pop();
    for (const note of repaired.notes) notes.push(note);
    items.push(repaired.value);
  }
  return notes.length === 0 ? unchanged(value) : { value: items, notes };
}

function* repairThroughReference(schema: JsonObject, value: unknown, walk: Walk): Steps<Repaired> {
  const target = targetOf('$ref', schema['$ref'], walk);
  if (target === undefined) return unchanged(value);
  return yield* wait(inResource(target.resource, walk, () => repair(target.schema, value, walk)));
}

/**
 * Repairs the value for each part of `allOf`. Of alternatives, uses the first that the value can be made to
 * match.
 */
function* repairThroughParts(schema: JsonObject, value: unknown, walk: Walk): Steps<Repaired> {
  let repaired = unchanged(value);
  for (const part of isList(schema['allOf']) ? schema['allOf'] : []) {
    if (!spend(walk, 1 / namesInStep)) return repaired;
    repaired = combined(repaired, yield* repairSteps(part, repaired.value, walk));
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    const options = isList(schema[keyword]) ? schema[keyword] : [];
    const fits = some(options, walk, (option) => passes(walk, option, repaired.value));
    if (yield* wait(fits)) continue;
    repaired = combined(repaired, yield* repairOption(options, repaired.value, walk));
  }
  return repaired;
}

function* repairOption(options: readonly unknown[], value: unknown, walk: Walk): Steps<Repaired> {
  for (const option of yield* likeliestOptions(options, value, walk)) {
    if (!spend(walk, 1 / namesInStep)) break;
    const tried = yield* repairSteps(option, value, walk);
    if (tried.notes.length > 0 && (yield* wait(passes(walk, option, tried.value)))) return tried;
  }
  return unchanged(value);
}

/** Returns the alternatives that accept the value's own type, or all of them if there are none. */
function* likeliestOptions(
  options: readonly unknown[],
  value: unknown,
  walk: Walk,
): Steps<readonly unknown[]> {
  const near: unknown[] = [];
  for (const option of options) {
    if (isPauseDue(walk)) yield takePause(walk);
    if (isOfKind(value, countedTypes(option, walk))) near.push(option);
  }
  return near.length > 0 ? near : options;
}

/** Charges for finding the types. Skips the work when the walk has stopped. */
function countedTypes(schema: unknown, walk: Walk): ReadonlySet<JsonType> {
  if (walk.stopped !== undefined) return new Set();
  const visits = { left: maxVisits };
  const types = typesOf(schema, walk.scope.at(-1) ?? {}, visits);
  spend(walk, maxVisits - visits.left);
  return types;
}

function isOfKind(value: unknown, types: ReadonlySet<JsonType>): boolean {
  const actual = jsonTypeOf(value);
  return actual !== 'none' && types.has(actual);
}

/** Returns what the value could have been meant as, likeliest first. */
function conversions(schema: JsonObject, value: unknown, walk: Walk): readonly Repaired[] {
  const types = countedTypes(schema, walk);
  // The type is right and only the value is wrong; another type would only bypass the constraint.
  if (isOfKind(value, types)) return [];
  const readings: [string, unknown][] = typeof value === 'string' ? readingsOf(value, types) : [];
  if (types.has('string') && typeof value === 'number') readings.push(['number to text', String(value)]);
  if (types.has('array') && !isList(value) && value !== null) readings.push(['one value to a list', [value]]);
  return readings
    .filter(([, converted]) => converted !== undefined)
    .map(([what, converted]) => ({ value: converted, notes: [`${pathText(walk.path)}: ${what}`] }));
}

function readingsOf(text: string, types: ReadonlySet<JsonType>): [string, unknown][] {
  const readings: [string, unknown][] = [];
  if (types.has('integer') || types.has('number')) readings.push(['text to number', numberIn(text)]);
  if (types.has('boolean')) readings.push(['text to boolean', booleanIn(text)]);
  if (types.has('object') || types.has('array'))
    readings.push(['JSON text to value', structureIn(text, types)]);
  return readings;
}
