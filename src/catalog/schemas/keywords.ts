/**
 * The keywords that check one value alone: its type, its size, its text. Operands of the wrong type are
 * ignored.
 */

import type { MaybePromise } from '../../kernel/type-tools.ts';
import { isList, isObject, jsonTypeOf, type JsonObject } from '../../kernel/json.ts';
import { chain, runSteps, type Steps, every, some } from './loops.ts';
import { fail, isPauseDue, type Keyword, namesOf, spend, takePause, type Walk } from './walk.ts';
import { matchesPattern } from './linear-pattern.ts';
import { sameJson } from './json-equality.ts';
import { uniqueItems } from './unique-items.ts';
import { typeText, valuesText } from './types.ts';

/** Charges for long lists in a schema: one step for every hundred entries. */
function spendOn(entries: number, walk: Walk): boolean {
  return entries < 100 || spend(walk, Math.ceil(entries / 100));
}

const type: Keyword = (operand, value, schema, walk) => {
  const actual = jsonTypeOf(value);
  if (operand === actual || (operand === 'number' && actual === 'integer')) return true;
  if (isList(operand) ? isAmong(operand, actual, walk) : typeof operand !== 'string') return true;
  // `nullable` is from OpenAPI, not JSON Schema, but servers generated from OpenAPI rely on it.
  if (value === null && schema['nullable'] === true) return true;
  return fail(walk, () => typeText(schema, walk.scope[0] ?? schema));
};

function isAmong(types: readonly unknown[], actual: string, walk: Walk): boolean {
  if (!spendOn(types.length, walk)) return true;
  return types.includes(actual) || (actual === 'integer' && types.includes('number'));
}

/** Longer strings are compared one by one, and each comparison is charged for. */
const shortText = 100;

/** Comparing this many characters takes as long as visiting an entry. */
const charactersCompared = 16;

const oneOfValues: Keyword = (operand, value, schema, walk) => {
  if (!isList(operand)) return true;
  const isShort = typeof value !== 'object' && (typeof value !== 'string' || value.length <= shortText);
  const length = isShort && typeof value === 'string' ? value.length : 0;
  if (!spendOn(operand.length * (1 + length / charactersCompared), walk)) return true;
  const isAllowed =
    isShort || value === null
      ? operand.includes(value)
      : some(operand, walk, (allowed) => sameJson(allowed, value, walk));
  return chain(isAllowed, (passed) => {
    if (passed || (value === null && schema['nullable'] === true)) return true;
    return fail(walk, () => `one of ${valuesText(operand)}`);
  });
};

const constant: Keyword = (operand, value, _schema, walk) =>
  chain(sameJson(operand, value, walk), (same) => same || fail(walk, () => valuesText([operand])));

/** Creates a keyword that bounds a number, from a comparison and the words for its message. */
function bound(holds: (value: number, limit: number) => boolean, words: string): Keyword {
  return (operand, value, _schema, walk) => {
    if (typeof operand !== 'number' || typeof value !== 'number' || holds(value, operand)) return true;
    return fail(walk, () => `${words} ${operand}`);
  };
}

/** In draft 4 `exclusiveMinimum: true` makes `minimum` exclusive. */
function exclusive(other: 'minimum' | 'maximum', keyword: Keyword): Keyword {
  return (operand, value, schema, walk) =>
    keyword(operand === true ? schema[other] : operand, value, schema, walk);
}

const multipleOf: Keyword = (operand, value, _schema, walk) => {
  if (typeof operand !== 'number' || typeof value !== 'number' || operand <= 0) return true;
  const ratio = value / operand;
  // Allow for rounding: 0.3 / 0.1 is 2.9999999999999996.
  if (Math.abs(ratio - Math.round(ratio)) <= 1e-9 * Math.max(1, Math.abs(ratio))) return true;
  return fail(walk, () => `a multiple of ${operand}`);
};

/** Returns the size of a value, or undefined when the keyword does not apply to its type. */
type SizeOf = (value: unknown, limit: number, walk: Walk) => MaybePromise<number | undefined>;

function counted(
  sizeOf: SizeOf,
  holds: (size: number, limit: number) => boolean,
  words: (limit: number) => string,
): Keyword {
  return (operand, value, _schema, walk) => {
    if (typeof operand !== 'number') return true;
    return chain(
      sizeOf(value, operand, walk),
      (size) => size === undefined || holds(size, operand) || fail(walk, () => words(operand)),
    );
  };
}

const atLeast = (size: number, limit: number): boolean => size >= limit;
const atMost = (size: number, limit: number): boolean => size <= limit;
const items: SizeOf = (value) => (isList(value) ? value.length : undefined);
const fields: SizeOf = (value, _limit, walk) => (isObject(value) ? namesOf(value, walk).length : undefined);
/** Counts characters, not code units, and only when that can make a difference. */
const characters: SizeOf = (value, limit, walk) => {
  if (typeof value !== 'string') return undefined;
  if (value.length < limit || value.length > limit * 2) return value.length;
  return runSteps(countCharacters(value, walk));
};

const unitsAtATime = 10_000;
const unitsInStep = 200;

function* countCharacters(text: string, walk: Walk): Steps<number> {
  let count = text.length;
  for (let from = 0; from < text.length && walk.stopped === undefined; from += unitsAtATime) {
    spend(walk, Math.min(unitsAtATime, text.length - from) / unitsInStep);
    if (isPauseDue(walk)) yield takePause(walk);
    const end = Math.min(text.length, from + unitsAtATime);
    // A surrogate pair counts once.
    for (let at = from; at < end; at += 1) if ((text.codePointAt(at) ?? 0) > 0xff_ff) count -= 1;
  }
  return count;
}

const required: Keyword = (operand, value, schema, walk) => {
  if (!isObject(value) || !isList(operand) || !spendOn(operand.length, walk)) return true;
  return every(operand, walk, (name) => {
    if (typeof name !== 'string' || Object.hasOwn(value, name)) return true;
    walk.path.push(name);
    fail(walk, () => `${typeText(propertyOf(schema, name), walk.scope[0] ?? schema)} (required)`);
    walk.path.pop();
    return false;
  });
};

function propertyOf(schema: JsonObject, name: string): unknown {
  const properties = schema['properties'];
  return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : true;
}

const pattern: Keyword = (operand, value, schema, walk) => {
  if (typeof operand !== 'string' || typeof value !== 'string') return true;
  return chain(
    matchesPattern(operand, value, schema, walk),
    (matches) => matches || fail(walk, () => `text that matches ${operand.slice(0, 200)}`),
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
