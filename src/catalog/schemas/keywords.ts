/** The keywords that look at one value alone: its type, its size, its text. Operands of the wrong kind say nothing. */

import { isJsonObject, isList, jsonTypeOf } from './json.ts';
import type { JsonObject } from '../tool-info.ts';
import { linearPattern, type PatternMatch } from './linear-pattern.ts';
import { sameJson } from './same-json.ts';
import { typeText, valuesText } from './type-text.ts';
import { fail, spend, warn, type Walk } from './walk.ts';

/** Whether `value` keeps what the keyword's `operand` asks. */
export type Keyword = (operand: unknown, value: unknown, schema: JsonObject, walk: Walk) => boolean;

/** Long lists in a schema are not free: a step for every hundred entries. */
function spendOn(entries: number, walk: Walk): boolean {
  return entries < 100 || spend(walk, Math.ceil(entries / 100));
}

const type: Keyword = (operand, value, schema, walk) => {
  const actual = jsonTypeOf(value);
  if (operand === actual || (operand === 'number' && actual === 'integer')) return true;
  if (isList(operand) && (operand.includes(actual) || (actual === 'integer' && operand.includes('number'))))
    return true;
  if (typeof operand !== 'string' && !isList(operand)) return true;
  // Not JSON Schema's word, but OpenAPI's, and servers made from OpenAPI mean it.
  if (value === null && schema['nullable'] === true) return true;
  return fail(walk, () => typeText(schema, walk.scope[0] ?? schema));
};

const oneOfValues: Keyword = (operand, value, schema, walk) => {
  if (!isList(operand) || !spendOn(operand.length, walk) || operand.includes(value)) return true;
  if (value === null && schema['nullable'] === true) return true;
  if (typeof value === 'object' && operand.some((allowed) => sameJson(allowed, value, walk))) return true;
  return fail(walk, () => `one of ${valuesText(operand)}`);
};

const constant: Keyword = (operand, value, _schema, walk) =>
  sameJson(operand, value, walk) || fail(walk, () => valuesText([operand]));

/** A bound on a number, given what to compare and how to say it. */
function bound(holds: (value: number, limit: number) => boolean, words: string): Keyword {
  return (operand, value, _schema, walk) => {
    if (typeof operand !== 'number' || typeof value !== 'number' || holds(value, operand)) return true;
    return fail(walk, () => `${words} ${operand}`);
  };
}

/** In draft 4 `exclusiveMinimum: true` sharpens `minimum`. */
function exclusive(other: 'minimum' | 'maximum', keyword: Keyword): Keyword {
  return (operand, value, schema, walk) =>
    keyword(operand === true ? schema[other] : operand, value, schema, walk);
}

const multipleOf: Keyword = (operand, value, _schema, walk) => {
  if (typeof operand !== 'number' || typeof value !== 'number' || operand <= 0) return true;
  const ratio = value / operand;
  // 0.3 / 0.1 is 2.9999999999999996: decimal steps are meant, not binary ones.
  if (Math.abs(ratio - Math.round(ratio)) <= 1e-9 * Math.max(1, Math.abs(ratio))) return true;
  return fail(walk, () => `a multiple of ${operand}`);
};

function counted(
  count: (value: unknown, limit: number) => number | undefined,
  holds: (count: number, limit: number) => boolean,
  words: (limit: number) => string,
): Keyword {
  return (operand, value, _schema, walk) => {
    if (typeof operand !== 'number') return true;
    const size = count(value, operand);
    return size === undefined || holds(size, operand) || fail(walk, () => words(operand));
  };
}

const atLeast = (size: number, limit: number): boolean => size >= limit;
const atMost = (size: number, limit: number): boolean => size <= limit;
const items = (value: unknown): number | undefined => (isList(value) ? value.length : undefined);
const fields = (value: unknown): number | undefined =>
  isJsonObject(value) ? Object.keys(value).length : undefined;
/** Characters, not code units; counted only where that can make a difference. */
function characters(value: unknown, limit: number): number | undefined {
  if (typeof value !== 'string') return undefined;
  if (value.length < limit || value.length > limit * 2) return value.length;
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

const uniqueItems: Keyword = (operand, value, _schema, walk) => {
  if (operand !== true || !isList(value)) return true;
  const simple = new Set<unknown>();
  const complex: unknown[] = [];
  for (const item of value) {
    const repeated =
      typeof item === 'object' && item !== null
        ? complex.some((other) => sameJson(other, item, walk))
        : simple.has(item);
    if (repeated) return fail(walk, () => 'a list without repetitions');
    if (typeof item === 'object' && item !== null) complex.push(item);
    else simple.add(item);
  }
  return true;
};

const required: Keyword = (operand, value, schema, walk) => {
  if (!isJsonObject(value) || !isList(operand) || !spendOn(operand.length, walk)) return true;
  let passed = true;
  for (const name of operand) {
    if (typeof name !== 'string' || Object.hasOwn(value, name)) continue;
    walk.path.push(name);
    fail(walk, () => `${typeText(propertyOf(schema, name), walk.scope[0] ?? schema)} (required)`);
    walk.path.pop();
    passed = false;
    if (walk.failures === undefined) return false;
  }
  return passed;
};

function propertyOf(schema: JsonObject, name: string): unknown {
  const properties = schema['properties'];
  return isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : true;
}

/** Compiled once for each schema that is kept. */
const patterns = new WeakMap<JsonObject, Map<string, PatternMatch | undefined>>();

/** Whether a text matches; a pattern that cannot be matched safely matches everything, with a warning. */
export function matchesPattern(pattern: string, text: string, holder: JsonObject, walk: Walk): boolean {
  if (walk.matching.left <= 0) return warnOfPattern(pattern, walk);
  const known = patterns.get(holder) ?? new Map<string, PatternMatch | undefined>();
  if (!known.has(pattern)) {
    walk.matching.left -= 1000 + pattern.length * 10;
    known.set(pattern, linearPattern(pattern));
  }
  patterns.set(holder, known);
  const matched = known.get(pattern)?.(text, walk.matching);
  return matched ?? warnOfPattern(pattern, walk);
}

function warnOfPattern(pattern: string, walk: Walk): true {
  return warn(walk, `the pattern ${JSON.stringify(pattern.slice(0, 60))} was not checked`);
}

const pattern: Keyword = (operand, value, schema, walk) => {
  if (typeof operand !== 'string' || typeof value !== 'string') return true;
  return (
    matchesPattern(operand, value, schema, walk) ||
    fail(walk, () => `text that matches ${operand.slice(0, 200)}`)
  );
};

export const valueKeywords: readonly (readonly [string, Keyword])[] = [
  ['type', type],
  ['enum', oneOfValues],
  ['const', constant],
  ['minimum', bound((value, limit) => value >= limit, 'at least')],
  ['maximum', bound((value, limit) => value <= limit, 'at most')],
  [
    'exclusiveMinimum',
    exclusive(
      'minimum',
      bound((value, limit) => value > limit, 'more than'),
    ),
  ],
  [
    'exclusiveMaximum',
    exclusive(
      'maximum',
      bound((value, limit) => value < limit, 'less than'),
    ),
  ],
  ['multipleOf', multipleOf],
  ['minLength', counted(characters, atLeast, (limit) => `at least ${limit} characters`)],
  ['maxLength', counted(characters, atMost, (limit) => `at most ${limit} characters`)],
  ['minItems', counted(items, atLeast, (limit) => `at least ${limit} items`)],
  ['maxItems', counted(items, atMost, (limit) => `at most ${limit} items`)],
  ['minProperties', counted(fields, atLeast, (limit) => `at least ${limit} properties`)],
  ['maxProperties', counted(fields, atMost, (limit) => `at most ${limit} properties`)],
  ['uniqueItems', uniqueItems],
  ['required', required],
  ['pattern', pattern],
];
