/**
 * `unevaluatedProperties` and `unevaluatedItems`: check what no other keyword has evaluated, neither here nor
 * in a schema that applied to the same value.
 */

import type { MaybePromise } from '../../kernel/type-tools.ts';
import { isList, isObject, type JsonObject } from '../../kernel/json.ts';
import { isDeclared } from './applicators.ts';
import { targetOf, inResource } from './references.ts';
import { chain, runSteps, wait, type Steps, every, some } from './loops.ts';
import {
  checkAt,
  fail,
  isPauseDue,
  type Keyword,
  mayEnter,
  namesOf,
  passes,
  schemaNamesOf,
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
function appliedSchemas(schema: JsonObject, value: unknown, walk: Walk): MaybePromise<readonly Applied[]> {
  const found: Applied[] = [];
  return chain(runSteps(collect(schema, value, walk, found)), () => found);
}

function* collect(schema: JsonObject, value: unknown, walk: Walk, found: Applied[]): Steps<void> {
  if (!mayEnter(walk)) return;
  walk.depth += 1;
  found.push({ schema, resource: walk.scope.at(-1) });
  for (const part of yield* partsOf(schema, value, walk)) {
    if (isPauseDue(walk)) yield takePause(walk);
    if (!isObject(part) || !(yield* wait(passes(walk, part, value)))) continue;
    yield* collect(part, value, walk, found);
  }
  for (const keyword of ['$ref', '$dynamicRef']) {
    const target = targetOf(keyword, schema[keyword], walk);
    if (target === undefined) continue;
    const { schema: next, resource } = target;
    if (!isObject(next)) continue;
    yield* wait(inResource(resource, walk, () => runSteps(collect(next, value, walk, found))));
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
    const passed = yield* wait(passes(walk, schema['if'], value));
    parts.push(passed ? schema['if'] : undefined, passed ? schema['then'] : schema['else']);
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
type Evaluates = (schema: JsonObject, isOwn: boolean) => Verdict;

/** Whether the schema, or one that applied because of it, evaluates a property or item. */
type IsEvaluated = (evaluates: Evaluates) => Verdict;

function evaluationOf(schema: JsonObject, value: unknown, walk: Walk): IsEvaluated {
  let applied: readonly Applied[] | undefined;
  const anyEvaluates = (all: readonly Applied[], evaluates: Evaluates): Verdict => {
    applied = all;
    return some(all, walk, ({ schema: part, resource }, at) =>
      resource === undefined
        ? evaluates(part, at === 0)
        : inResource(resource, walk, () => evaluates(part, at === 0)),
    );
  };
  return (evaluates) =>
    chain(evaluates(schema, true), (evaluated) => {
      if (evaluated) return true;
      return chain(applied ?? appliedSchemas(schema, value, walk), (all) => anyEvaluates(all, evaluates));
    });
}

const unevaluatedProperties: Keyword = (operand, value, schema, walk) => {
  if (!isObject(value) || operand === true) return true;
  const isEvaluated = evaluationOf(schema, value, walk);
  return every(namesOf(value, walk), walk, (name) => {
    const evaluates: Evaluates = (part, isOwn) =>
      part['additionalProperties'] !== undefined ||
      (!isOwn && part['unevaluatedProperties'] !== undefined) ||
      isDeclared(name, part, walk);
    return chain(
      isEvaluated(evaluates),
      (evaluated) => evaluated || checkAt(walk, name, operand, value[name]),
    );
  });
};

const unevaluatedItems: Keyword = (operand, value, schema, walk) => {
  if (!isList(value) || operand === true) return true;
  const isEvaluated = evaluationOf(schema, value, walk);
  let hasFailed = false;
  const checkItem = (item: unknown, at: number): Verdict =>
    operand === false ? fail(walk, () => `at most ${at} items`) : checkAt(walk, at, operand, item);
  return every(value, walk, (item, at) => {
    // Report only the first item that fails.
    if (hasFailed) return true;
    const evaluates: Evaluates = (part, isOwn) => evaluatesItem(part, { at, item, isOwn }, walk);
    const passed = chain(isEvaluated(evaluates), (evaluated) => evaluated || checkItem(item, at));
    return chain(passed, (isFine) => {
      hasFailed = !isFine;
      return isFine;
    });
  });
};

interface ItemPlace {
  readonly at: number;
  readonly item: unknown;
  readonly isOwn: boolean;
}

function evaluatesItem(part: JsonObject, { at, item, isOwn }: ItemPlace, walk: Walk): Verdict {
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
