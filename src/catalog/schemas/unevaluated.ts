/**
 * `unevaluatedProperties` and `unevaluatedItems`: check what no other keyword has evaluated, neither here nor
 * in a schema that applied to the same value.
 */

import { isList, isObject, type JsonObject } from '../../kernel/json.ts';
import { isDeclared } from './applicators.ts';
import { targetOf, within } from './references.ts';
import { after, runSteps, settle, type Later, type Steps } from './maybe-promise.ts';
import {
  checkAt,
  every,
  fail,
  isDue,
  type Keyword,
  mayEnter,
  namesOf,
  passes,
  schemaNamesOf,
  some,
  spend,
  takePause,
  type Verdict,
  type Walk,
} from './walk.ts';

/** A schema that applied to the value, and the document in which its references are resolved. */
interface Applied {
  readonly schema: JsonObject;
  readonly resource: JsonObject | undefined;
}

/**
 * Returns the schema and all schemas that applied to the same value because of it. Computed once, however
 * large the value is.
 */
function appliedSchemas(schema: JsonObject, value: unknown, walk: Walk): Later<readonly Applied[]> {
  const found: Applied[] = [];
  return after(runSteps(collect(schema, value, walk, found)), () => found);
}

function* collect(schema: JsonObject, value: unknown, walk: Walk, found: Applied[]): Steps<void> {
  if (!mayEnter(walk)) return;
  walk.depth += 1;
  found.push({ schema, resource: walk.scope.at(-1) });
  for (const part of yield* partsOf(schema, value, walk)) {
    if (isDue(walk)) yield takePause(walk);
    if (!isObject(part) || !(yield* settle(passes(walk, part, value)))) continue;
    yield* collect(part, value, walk, found);
  }
  for (const keyword of ['$ref', '$dynamicRef']) {
    const target = targetOf(keyword, schema[keyword], walk);
    if (target === undefined) continue;
    const { schema: next, resource } = target;
    if (!isObject(next)) continue;
    yield* settle(within(resource, walk, () => runSteps(collect(next, value, walk, found))));
  }
  walk.depth -= 1;
}

const partsInStep = 16;

/** Returns the schemas that may apply to the same value as `schema` does. */
function* partsOf(schema: JsonObject, value: unknown, walk: Walk): Steps<readonly unknown[]> {
  const parts: unknown[] = [];
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const list = schema[keyword];
    if (!isList(list) || !spend(walk, list.length / partsInStep)) continue;
    for (const part of list) parts.push(part);
  }
  if ('if' in schema) {
    const held = yield* settle(passes(walk, schema['if'], value));
    parts.push(held ? schema['if'] : undefined, held ? schema['then'] : schema['else']);
  }
  for (const part of dependentParts(schema['dependentSchemas'], value, walk)) parts.push(part);
  return parts;
}

function dependentParts(dependent: unknown, value: unknown, walk: Walk): readonly unknown[] {
  if (!isObject(dependent) || !isObject(value)) return [];
  const names = schemaNamesOf(dependent, walk);
  if (!spend(walk, names.length / partsInStep)) return [];
  return names.filter((name) => Object.hasOwn(value, name)).map((name) => dependent[name]);
}

/**
 * Whether a schema evaluates one property or item. `isOwn` is true for the schema that contains the keyword.
 */
type Looked = (schema: JsonObject, isOwn: boolean) => Verdict;

/** Whether the schema, or one that applied because of it, evaluates a property or item. */
type WasLookedAt = (looked: Looked) => Verdict;

function lookThrough(schema: JsonObject, value: unknown, walk: Walk): WasLookedAt {
  let applied: readonly Applied[] | undefined;
  const lookAtAll = (all: readonly Applied[], looked: Looked): Verdict => {
    applied = all;
    return some(all, walk, ({ schema: part, resource }, at) =>
      resource === undefined ? looked(part, at === 0) : within(resource, walk, () => looked(part, at === 0)),
    );
  };
  return (looked) =>
    after(looked(schema, true), (isLookedAt) => {
      if (isLookedAt) return true;
      return after(applied ?? appliedSchemas(schema, value, walk), (all) => lookAtAll(all, looked));
    });
}

const unevaluatedProperties: Keyword = (operand, value, schema, walk) => {
  if (!isObject(value) || operand === true) return true;
  const wasLookedAt = lookThrough(schema, value, walk);
  return every(namesOf(value, walk), walk, (name) => {
    const looked: Looked = (part, isOwn) =>
      part['additionalProperties'] !== undefined ||
      (!isOwn && part['unevaluatedProperties'] !== undefined) ||
      isDeclared(name, part, walk);
    return after(
      wasLookedAt(looked),
      (isLookedAt) => isLookedAt || checkAt(walk, name, operand, value[name]),
    );
  });
};

const unevaluatedItems: Keyword = (operand, value, schema, walk) => {
  if (!isList(value) || operand === true) return true;
  const wasLookedAt = lookThrough(schema, value, walk);
  let isOver = false;
  const checkItem = (item: unknown, at: number): Verdict =>
    operand === false ? fail(walk, () => `at most ${at} items`) : checkAt(walk, at, operand, item);
  return every(value, walk, (item, at) => {
    // Report only the first item that fails.
    if (isOver) return true;
    const looked: Looked = (part, isOwn) => itemLookedAt(part, { at, item, isOwn }, walk);
    const passed = after(wasLookedAt(looked), (isLookedAt) => isLookedAt || checkItem(item, at));
    return after(passed, (isFine) => {
      isOver = !isFine;
      return isFine;
    });
  });
};

interface ItemPlace {
  readonly at: number;
  readonly item: unknown;
  readonly isOwn: boolean;
}

function itemLookedAt(part: JsonObject, { at, item, isOwn }: ItemPlace, walk: Walk): Verdict {
  const { items, prefixItems, contains } = part;
  if (isList(prefixItems) && at < prefixItems.length) return true;
  if (isList(items) ? at < items.length || part['additionalItems'] !== undefined : items !== undefined)
    return true;
  if (!isOwn && part['unevaluatedItems'] !== undefined) return true;
  return contains !== undefined && passes(walk, contains, item);
}

export const unevaluatedKeywords: readonly (readonly [string, Keyword])[] = [
  ['unevaluatedProperties', unevaluatedProperties],
  ['unevaluatedItems', unevaluatedItems],
];
