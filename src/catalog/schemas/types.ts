/**
 * The JSON types that a schema accepts, as far as its keywords state them directly; and a description in a
 * few words: `string`, `"a" | "b"`, `integer[]`, `{path: string, head?: integer}`. Its length is limited,
 * whatever the schema.
 */

import { fieldOf, isList, isObject, type JsonObject, type JsonType, jsonTypeOf } from '../../kernel/json.ts';
import { schemaNames, schemaStrings } from './schema-parts.ts';
import { resolveReference } from './references.ts';

export const allTypes: readonly JsonType[] = [
  'null',
  'boolean',
  'integer',
  'number',
  'string',
  'array',
  'object',
];

const maxDepth = 8;

const maxStated = 100;

export const maxVisits = 100;

/** Follows `$ref` for a few steps. Returns the schema itself when there is none or it cannot be resolved. */
export function followed(schema: unknown, root: JsonObject): unknown {
  let here = schema;
  for (let steps = 0; steps < maxDepth && isObject(here) && typeof here['$ref'] === 'string'; steps += 1) {
    const target = resolveReference(here['$ref'], root, root);
    if (target === undefined) return here;
    here = target.schema;
  }
  return here;
}

/** `visits` is the budget. A caller that counts work sees in it how much this took. */
export function typesOf(
  schema: unknown,
  root: JsonObject,
  visits: { left: number } = { left: maxVisits },
): ReadonlySet<JsonType> {
  return typesWithin(schema, { root, depth: 0, visits });
}

interface TypeQuery {
  readonly root: JsonObject;
  readonly depth: number;
  /** Shared by the whole query: alternatives that refer to each other multiply. */
  readonly visits: { left: number };
}

const everything: ReadonlySet<JsonType> = new Set(allTypes);

function typesWithin(schema: unknown, query: TypeQuery): ReadonlySet<JsonType> {
  query.visits.left -= 1;
  if (query.visits.left < 0 || query.depth > maxDepth) return everything;
  const here = followed(schema, query.root);
  if (here === false) return new Set();
  if (!isObject(here)) return everything;
  const deeper = { ...query, depth: query.depth + 1 };
  let types = new Set(statedTypes(here));
  for (const keyword of ['anyOf', 'oneOf']) {
    if (isList(here[keyword])) types = intersect(types, partsOf(here[keyword], deeper));
  }
  if (isList(here['allOf'])) {
    for (const part of partsOf(here['allOf'], deeper)) types = intersect(types, [part]);
  }
  return types;
}

function partsOf(parts: readonly unknown[], query: TypeQuery): ReadonlySet<JsonType>[] {
  const found: ReadonlySet<JsonType>[] = [];
  for (const part of parts) {
    found.push(typesWithin(part, query));
    // Out of budget: the remaining parts may accept any type.
    if (query.visits.left < 0) break;
  }
  return found;
}

function intersect(types: Set<JsonType>, others: readonly ReadonlySet<JsonType>[]): Set<JsonType> {
  return new Set([...types].filter((type) => others.some((other) => other.has(type))));
}

function statedTypes(schema: JsonObject): readonly JsonType[] {
  const values = 'const' in schema ? [schema['const']] : schema['enum'];
  if (isList(values)) return valueTypes(values, schema);
  const stated = isList(schema['type']) ? schema['type'] : [schema['type']];
  // There are only seven types, so a longer list means nothing.
  if (stated.length > maxStated) return allTypes;
  const types = allTypes.filter(
    (type) => stated.includes(type) || (type === 'integer' && stated.includes('number')),
  );
  if (types.length === 0) return allTypes;
  return schema['nullable'] === true ? [...types, 'null'] : types;
}

/** Cached, because schemas never change after they are read, and many alternatives may share one list. */
const knownTypes = new WeakMap<readonly unknown[], ReadonlySet<JsonType | 'none'>>();

function valueTypes(values: readonly unknown[], schema: JsonObject): readonly JsonType[] {
  const found = knownTypes.get(values) ?? new Set(values.slice(0, 1000).map(jsonTypeOf));
  knownTypes.set(values, found);
  return allTypes.filter((type) => found.has(type) || (type === 'null' && schema['nullable'] === true));
}

const maxText = 100;

const maxValues = 8;

const maxFields = 6;

const maxTexts = 40;

export function valuesText(values: readonly unknown[]): string {
  const shown = values.slice(0, maxValues).map(valueText);
  if (values.length > maxValues) shown.push('…');
  return shown.join(' | ');
}

/** Shows lists and objects without their contents, because a server decides how deeply they are nested. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return short(JSON.stringify(value.slice(0, 80)), 40);
  if (typeof value !== 'object' || value === null) return String(value);
  if (isList(value)) return value.length === 0 ? '[]' : '[…]';
  return schemaNames(value as JsonObject).length === 0 ? '{}' : '{…}'; // lists have returned above
}

/** Limits the work for one description: alternatives that refer to each other multiply. */
export interface TextBudget {
  readonly texts: { left: number };
  readonly visits: { left: number };
}

export function textBudget(texts = maxTexts): TextBudget {
  return { texts: { left: texts }, visits: { left: 4 * maxVisits } };
}

/** `depth` 1 spells out small objects; 0 shows the outermost one only as `object`. */
export function typeText(
  schema: unknown,
  root: JsonObject,
  depth = 0,
  budget: TextBudget = textBudget(),
): string {
  return textOf(schema, { root, depth, ...budget });
}

interface TextQuery extends TextBudget {
  readonly root: JsonObject;
  readonly depth: number;
}

function inside(query: TextQuery): TextQuery {
  return { ...query, depth: query.depth + 1 };
}

function textOf(schema: unknown, query: TextQuery): string {
  query.texts.left -= 1;
  const here = followed(schema, query.root);
  if (here === false) return 'nothing';
  if (!isObject(here) || query.texts.left < 0) return 'any';
  const values = 'const' in here ? [here['const']] : here['enum'];
  if (isList(values)) return valuesText(values);
  const options = isList(here['anyOf']) ? here['anyOf'] : here['oneOf'];
  if (isList(options) && options.length > 0 && query.depth < 3) return unionText(options, query);
  return plainText(here, query);
}

function plainText(here: JsonObject, query: TextQuery): string {
  const types = typesOf(here, query.root, query.visits);
  if (types.size === allTypes.length || types.size === 0) {
    return isObject(here['properties']) ? 'object' : 'any';
  }
  const names = [...types].filter((type) => type !== 'integer' || !types.has('number')).toReversed();
  return names.map((type) => oneType(type, here, query)).join(' | ');
}

function unionText(options: readonly unknown[], query: TextQuery): string {
  const texts = new Set(options.slice(0, maxValues).map((option) => textOf(option, inside(query))));
  if (options.length > maxValues) texts.add('…');
  return short([...texts].join(' | '), maxText);
}

function oneType(type: JsonType, schema: JsonObject, query: TextQuery): string {
  if (type === 'array') return listText(schema, query);
  return type === 'object' && query.depth < 2 ? objectText(schema, query) : type;
}

function listText(schema: JsonObject, query: TextQuery): string {
  const items = schema['items'];
  if (!isObject(items) || query.depth >= 3) return 'array';
  const inner = textOf(items, inside(query));
  return inner.includes(' | ') ? `(${inner})[]` : `${inner}[]`;
}

function objectText(schema: JsonObject, query: TextQuery): string {
  const properties = schema['properties'];
  // The outermost object is the arguments as a whole, or something that the reader knows by name.
  if (!isObject(properties) || query.depth === 0) return 'object';
  const names = schemaNames(properties);
  if (names.length === 0 || names.length > maxFields) return 'object';
  const required = schemaStrings(schema['required']);
  const fields = names.map(
    (name) => `${name}${required.has(name) ? '' : '?'}: ${textOf(fieldOf(properties, name), inside(query))}`,
  );
  const text = `{${fields.join(', ')}}`;
  return text.length > maxText ? 'object' : text;
}

export function short(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
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
