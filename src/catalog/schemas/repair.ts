/**
 * Repairs arguments that a model got slightly wrong: a string for a number, JSON as a string, one value for a
 * list, null for something omitted. A valid value is never changed, and a change that does not help is
 * dropped.
 */

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
import { type Later, runSteps, settle, type Steps } from './maybe-promise.ts';
import { pathText } from './names.ts';
import { targetOf, within } from './references.ts';
import { maxVisits, typesOf } from './types.ts';
import { isDue, mayEnter, namesOf, passes, some, spend, takePause, type Walk } from './walk.ts';

export interface Mended {
  readonly value: unknown;
  /** Where and what was changed, never the value: it may be a secret. */
  readonly notes: readonly string[];
}

/** Repairs the value as far as the schema says how. The caller must check the whole value again. */
export function mend(schema: unknown, value: unknown, walk: Walk): Later<Mended> {
  return runSteps(mendSteps(schema, value, walk));
}

function unchanged(value: unknown): Mended {
  return { value, notes: [] };
}

function* mendSteps(schema: unknown, value: unknown, walk: Walk): Steps<Mended> {
  if (!isObject(schema) || !mayEnter(walk)) return unchanged(value);
  if (yield* settle(passes(walk, schema, value))) return unchanged(value);
  walk.depth += 1;
  const mended = yield* mendFailing(schema, value, walk);
  walk.depth -= 1;
  return mended;
}

function* mendFailing(schema: JsonObject, value: unknown, walk: Walk): Steps<Mended> {
  let best = yield* mendInside(schema, value, walk);
  best = joined(best, yield* mendThroughReference(schema, best.value, walk));
  best = joined(best, yield* mendThroughParts(schema, best.value, walk));
  if (yield* settle(passes(walk, schema, best.value))) return best;
  for (const converted of conversions(schema, value, walk)) {
    const next = joined(converted, yield* mendInside(schema, converted.value, walk));
    if (yield* settle(passes(walk, schema, next.value))) return next;
  }
  return best;
}

/** The second repair applied on top of the first, with the notes of both. */
function joined(first: Mended, second: Mended): Mended {
  return second.notes.length === 0
    ? first
    : { value: second.value, notes: [...first.notes, ...second.notes] };
}

function* mendInside(schema: JsonObject, value: unknown, walk: Walk): Steps<Mended> {
  if (isObject(value)) return yield* mendFields(schema, value, walk);
  if (isList(value) && isObject(schema['items'])) return yield* mendItems(schema['items'], value, walk);
  return unchanged(value);
}

function* mendFields(schema: JsonObject, value: JsonObject, walk: Walk): Steps<Mended> {
  const properties = schema['properties'];
  if (!isObject(properties)) return unchanged(value);
  const required = new Set(stringsIn(schema['required']));
  spend(walk, required.size / namesInStep);
  const fields: Record<string, unknown> = {};
  const notes: string[] = [];
  for (const name of namesOf(value, walk)) {
    if (!spend(walk, 1 / namesInStep)) return unchanged(value);
    if (isDue(walk)) yield takePause(walk);
    const property = fieldOf(properties, name);
    walk.path.push(name);
    const isLeftOut =
      value[name] === null &&
      property !== undefined &&
      !required.has(name) &&
      !(yield* settle(passes(walk, property, null)));
    if (isLeftOut) {
      notes.push(`${pathText(walk.path)}: null left out`);
    } else {
      const mended = yield* mendSteps(property, value[name], walk);
      putField(fields, name, mended.value);
      for (const note of mended.notes) notes.push(note);
    }
    walk.path.pop();
  }
  return notes.length === 0 ? unchanged(value) : { value: fields, notes };
}

/** How many names or list items are visited in one step of work. */
const namesInStep = 8;

function* mendItems(schema: JsonObject, value: readonly unknown[], walk: Walk): Steps<Mended> {
  const notes: string[] = [];
  const items: unknown[] = [];
  for (const [at, item] of value.entries()) {
    if (!spend(walk, 1 / namesInStep)) return unchanged(value);
    if (isDue(walk)) yield takePause(walk);
    walk.path.push(at);
    const mended = yield* mendSteps(schema, item, walk);
    walk.path.pop();
    for (const note of mended.notes) notes.push(note);
    items.push(mended.value);
  }
  return notes.length === 0 ? unchanged(value) : { value: items, notes };
}

function* mendThroughReference(schema: JsonObject, value: unknown, walk: Walk): Steps<Mended> {
  const target = targetOf('$ref', schema['$ref'], walk);
  if (target === undefined) return unchanged(value);
  return yield* settle(within(target.resource, walk, () => mend(target.schema, value, walk)));
}

/**
 * Repairs the value for each part of `allOf`. Of alternatives, uses the first that the value can be made to
 * match.
 */
function* mendThroughParts(schema: JsonObject, value: unknown, walk: Walk): Steps<Mended> {
  let mended = unchanged(value);
  for (const part of isList(schema['allOf']) ? schema['allOf'] : []) {
    if (!spend(walk, 1 / namesInStep)) return mended;
    mended = joined(mended, yield* mendSteps(part, mended.value, walk));
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    const options = isList(schema[keyword]) ? schema[keyword] : [];
    const fits = some(options, walk, (option) => passes(walk, option, mended.value));
    if (yield* settle(fits)) continue;
    mended = joined(mended, yield* mendOption(options, mended.value, walk));
  }
  return mended;
}

function* mendOption(options: readonly unknown[], value: unknown, walk: Walk): Steps<Mended> {
  for (const option of yield* likeliest(options, value, walk)) {
    if (!spend(walk, 1 / namesInStep)) break;
    const tried = yield* mendSteps(option, value, walk);
    if (tried.notes.length > 0 && (yield* settle(passes(walk, option, tried.value)))) return tried;
  }
  return unchanged(value);
}

/** Returns the alternatives that accept the value's own type, or all of them if there are none. */
function* likeliest(options: readonly unknown[], value: unknown, walk: Walk): Steps<readonly unknown[]> {
  const near: unknown[] = [];
  for (const option of options) {
    if (isDue(walk)) yield takePause(walk);
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
function conversions(schema: JsonObject, value: unknown, walk: Walk): readonly Mended[] {
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

/** Accepts only what is a number in JSON too: `00713` is an identifier. */
export function numberIn(text: string): number | undefined {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text.trim())) return undefined;
  const number = Number(text);
  // A long identifier would lose digits and become a different one.
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
    ? number
    : undefined;
}

export function booleanIn(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : undefined;
}

export function structureIn(text: string, types: ReadonlySet<JsonType>): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const type = jsonTypeOf(value);
    return type !== 'none' && types.has(type) ? value : undefined;
  } catch {
    return undefined;
  }
}
