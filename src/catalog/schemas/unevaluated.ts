/** `unevaluatedProperties` and `unevaluatedItems`: what no other keyword here, or in a schema that applied here, has looked at. */

import type { JsonObject } from '../tool-info.ts';
import { isDeclared } from './applicators.ts';
import { isJsonObject, isList } from './json.ts';
import type { Keyword } from './keywords.ts';
import { targetOf, within } from './follow.ts';
import { checkAt, fail, mayEnter, passes, type Walk } from './walk.ts';

/** Schemas that apply to the same value as `schema` does, and pass. */
function applied(schema: JsonObject, value: unknown, walk: Walk): JsonObject[] {
  const parts: unknown[] = [];
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    if (isList(schema[keyword])) parts.push(...schema[keyword]);
  }
  if ('if' in schema) {
    const held = passes(walk, schema['if'], value);
    parts.push(held ? schema['if'] : undefined, held ? schema['then'] : schema['else']);
  }
  const dependent = schema['dependentSchemas'];
  if (isJsonObject(dependent) && isJsonObject(value)) {
    parts.push(
      ...Object.keys(dependent).map((name) => (Object.hasOwn(value, name) ? dependent[name] : undefined)),
    );
  }
  return parts.filter((part) => isJsonObject(part)).filter((part) => passes(walk, part, value));
}

type Looked = (schema: JsonObject, walk: Walk) => boolean;

/** Whether `schema`, or anything that applied beside it, has looked at one place of the value. */
function wasLookedAt(schema: JsonObject, value: unknown, looked: Looked, walk: Walk): boolean {
  if (looked(schema, walk)) return true;
  if (!mayEnter(walk)) return true;
  walk.depth += 1;
  const found =
    applied(schema, value, walk).some((part) => wasLookedAt(part, value, looked, walk)) ||
    referred(schema, value, looked, walk);
  walk.depth -= 1;
  return found;
}

function referred(schema: JsonObject, value: unknown, looked: Looked, walk: Walk): boolean {
  return ['$ref', '$dynamicRef'].some((keyword) => {
    const target = targetOf(keyword, schema[keyword], walk);
    if (target === undefined || !isJsonObject(target.schema)) return false;
    const { schema: next } = target;
    return within(target.resource, walk, () => isJsonObject(next) && wasLookedAt(next, value, looked, walk));
  });
}

const unevaluatedProperties: Keyword = (operand, value, schema, walk) => {
  if (!isJsonObject(value) || operand === true) return true;
  const rest = { ...schema, unevaluatedProperties: undefined };
  let passed = true;
  for (const name of Object.keys(value)) {
    const looked: Looked = (part, inside) =>
      part['additionalProperties'] !== undefined ||
      part['unevaluatedProperties'] !== undefined ||
      isDeclared(name, part, inside);
    if (wasLookedAt(rest, value, looked, walk)) continue;
    passed = checkAt(walk, name, operand, value[name]) && passed;
  }
  return passed;
};

const unevaluatedItems: Keyword = (operand, value, schema, walk) => {
  if (!isList(value) || operand === true) return true;
  const rest = { ...schema, unevaluatedItems: undefined };
  for (const [at, item] of value.entries()) {
    const looked: Looked = (part, inside) => itemLookedAt(part, at, item, inside);
    if (wasLookedAt(rest, value, looked, walk)) continue;
    if (operand === false) return fail(walk, () => `at most ${at} items`);
    if (!checkAt(walk, at, operand, item)) return false;
  }
  return true;
};

function itemLookedAt(part: JsonObject, at: number, item: unknown, walk: Walk): boolean {
  const { items, prefixItems, contains } = part;
  if (isList(prefixItems) && at < prefixItems.length) return true;
  if (isList(items) ? at < items.length || part['additionalItems'] !== undefined : items !== undefined)
    return true;
  return part['unevaluatedItems'] !== undefined || (contains !== undefined && passes(walk, contains, item));
}

export const unevaluatedKeywords: readonly (readonly [string, Keyword])[] = [
  ['unevaluatedProperties', unevaluatedProperties],
  ['unevaluatedItems', unevaluatedItems],
];
