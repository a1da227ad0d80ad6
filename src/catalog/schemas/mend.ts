/**
 * Turns arguments a model got slightly wrong into what the schema asks: text for a number, JSON as text, one value for a
 * list, null for something left out. A value that passes is never touched, and a change that does not help is dropped.
 */

import type { JsonObject } from '../tool-info.ts';
import { targetOf, within } from './follow.ts';
import { fieldOf, isJsonObject, isList, jsonTypeOf, putField, stringsIn, type JsonType } from './json.ts';
import { pathText } from './path-text.ts';
import { maxLooks, typesOf } from './types-of.ts';
import { mayEnter, passes, spend, type Walk } from './walk.ts';

export interface Mended {
  readonly value: unknown;
  /** Where and what, never the value: it may be a secret. */
  readonly notes: readonly string[];
}

/** The value, changed as far as the schema says how. The caller checks the whole again. */
export function mend(schema: unknown, value: unknown, walk: Walk): Mended {
  if (!isJsonObject(schema) || !mayEnter(walk) || passes(walk, schema, value)) return { value, notes: [] };
  walk.depth += 1;
  const mended = mendFailing(schema, value, walk);
  walk.depth -= 1;
  return mended;
}

function mendFailing(schema: JsonObject, value: unknown, walk: Walk): Mended {
  let best = mendInside(schema, value, walk);
  best = then(best, (inside) => mendThroughReference(schema, inside, walk));
  best = then(best, (inside) => mendThroughParts(schema, inside, walk));
  if (passes(walk, schema, best.value)) return best;
  for (const converted of conversions(schema, value, walk)) {
    const next = then(converted, (inside) => mendInside(schema, inside, walk));
    if (passes(walk, schema, next.value)) return next;
  }
  return best;
}

function then(first: Mended, next: (value: unknown) => Mended): Mended {
  const second = next(first.value);
  return second.notes.length === 0
    ? first
    : { value: second.value, notes: [...first.notes, ...second.notes] };
}

function mendInside(schema: JsonObject, value: unknown, walk: Walk): Mended {
  if (isJsonObject(value)) return mendFields(schema, value, walk);
  if (isList(value) && isJsonObject(schema['items'])) return mendItems(schema['items'], value, walk);
  return { value, notes: [] };
}

function mendFields(schema: JsonObject, value: JsonObject, walk: Walk): Mended {
  const properties = schema['properties'];
  if (!isJsonObject(properties)) return { value, notes: [] };
  const required = new Set(stringsIn(schema['required']));
  const fields: Record<string, unknown> = {};
  const notes: string[] = [];
  for (const name of Object.keys(value)) {
    const property = fieldOf(properties, name);
    walk.path.push(name);
    if (
      value[name] === null &&
      property !== undefined &&
      !required.has(name) &&
      !passes(walk, property, null)
    ) {
      notes.push(`${pathText(walk.path)}: null left out`);
    } else {
      const mended = mend(property, value[name], walk);
      putField(fields, name, mended.value);
      notes.push(...mended.notes);
    }
    walk.path.pop();
  }
  return notes.length === 0 ? { value, notes } : { value: fields, notes };
}

function mendItems(schema: JsonObject, value: readonly unknown[], walk: Walk): Mended {
  const notes: string[] = [];
  const items = value.map((item, at) => {
    walk.path.push(at);
    const mended = mend(schema, item, walk);
    walk.path.pop();
    notes.push(...mended.notes);
    return mended.value;
  });
  return notes.length === 0 ? { value, notes } : { value: items, notes };
}

function mendThroughReference(schema: JsonObject, value: unknown, walk: Walk): Mended {
  const target = targetOf('$ref', schema['$ref'], walk);
  let mended: Mended = { value, notes: [] };
  if (target === undefined) return mended;
  within(target.resource, walk, () => {
    mended = mend(target.schema, value, walk);
    return true;
  });
  return mended;
}

/** Every part of `allOf` may need something; of alternatives the first that can be met is taken. */
function mendThroughParts(schema: JsonObject, value: unknown, walk: Walk): Mended {
  let mended: Mended = { value, notes: [] };
  for (const part of isList(schema['allOf']) ? schema['allOf'] : []) {
    mended = then(mended, (inside) => mend(part, inside, walk));
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    const options = isList(schema[keyword]) ? schema[keyword] : [];
    if (options.some((option) => passes(walk, option, mended.value))) continue;
    for (const option of likeliest(options, mended.value, walk)) {
      const tried = mend(option, mended.value, walk);
      if (tried.notes.length === 0 || !passes(walk, option, tried.value)) continue;
      mended = { value: tried.value, notes: [...mended.notes, ...tried.notes] };
      break;
    }
  }
  return mended;
}

/** Alternatives of the value's own kind, if there are any, are the ones it was meant for. */
function likeliest(options: readonly unknown[], value: unknown, walk: Walk): readonly unknown[] {
  const near = options.filter((option) => isOfKind(value, countedTypes(option, walk)));
  return near.length > 0 ? near : options;
}

/** Asking for types is work too, and a walk that has stopped needs no answer. */
function countedTypes(schema: unknown, walk: Walk): ReadonlySet<JsonType> {
  if (walk.stopped !== undefined) return new Set();
  const looks = { left: maxLooks };
  const types = typesOf(schema, walk.scope.at(-1) ?? {}, looks);
  spend(walk, maxLooks - looks.left);
  return types;
}

function isOfKind(value: unknown, types: ReadonlySet<JsonType>): boolean {
  const actual = jsonTypeOf(value);
  return actual !== 'none' && types.has(actual);
}

/** What the value could have been meant as, likeliest first. */
function conversions(schema: JsonObject, value: unknown, walk: Walk): readonly Mended[] {
  const types = countedTypes(schema, walk);
  // Of the right kind and wrong all the same: as another kind it would only slip past what was asked.
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

/** Only what is a number in JSON too: `00713` is a name somebody chose. */
export function numberIn(text: string): number | undefined {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text.trim())) return undefined;
  const number = Number(text);
  // A long identifier would come out as another one.
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
