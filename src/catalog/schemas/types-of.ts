/** Finds the JSON types that a schema can accept at all, as far as its keywords state them directly. */

import { isList, isObject, jsonTypeOf, type JsonObject, type JsonType } from '../../kernel/json.ts';
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
export const maxLooks = 100;

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

/** `looks` is the budget. A caller that counts work sees in it how much this took. */
export function typesOf(
  schema: unknown,
  root: JsonObject,
  looks: { left: number } = { left: maxLooks },
): ReadonlySet<JsonType> {
  return typesWithin(schema, { root, depth: 0, looks });
}

interface Look {
  readonly root: JsonObject;
  readonly depth: number;
  /** Shared by the whole query: alternatives that refer to each other multiply. */
  readonly looks: { left: number };
}

const everything: ReadonlySet<JsonType> = new Set(allTypes);

function typesWithin(schema: unknown, look: Look): ReadonlySet<JsonType> {
  look.looks.left -= 1;
  if (look.looks.left < 0 || look.depth > maxDepth) return everything;
  const here = followed(schema, look.root);
  if (here === false) return new Set();
  if (!isObject(here)) return everything;
  const deeper = { ...look, depth: look.depth + 1 };
  let types = new Set(statedTypes(here));
  for (const keyword of ['anyOf', 'oneOf']) {
    if (isList(here[keyword])) types = intersect(types, partsOf(here[keyword], deeper));
  }
  if (isList(here['allOf'])) {
    for (const part of partsOf(here['allOf'], deeper)) types = intersect(types, [part]);
  }
  return types;
}

function partsOf(parts: readonly unknown[], look: Look): ReadonlySet<JsonType>[] {
  const found: ReadonlySet<JsonType>[] = [];
  for (const part of parts) {
    found.push(typesWithin(part, look));
    // Out of budget: the remaining parts may accept any type.
    if (look.looks.left < 0) break;
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
