/** The keywords that hand a value, or parts of it, on to other schemas. */

import type { JsonObject } from '../tool-info.ts';
import { fieldOf, isJsonObject, isList, jsonTypeOf, stringsIn } from './json.ts';
import { matchesPattern, type Keyword } from './keywords.ts';
import { typesOf } from './types-of.ts';
import { typeText } from './type-text.ts';
import { checkAt, fail, passes, type Walk } from './walk.ts';

/** Runs the tests until one fails, or all of them when failures are collected. */
function every<Item>(items: Iterable<Item>, walk: Walk, test: (item: Item) => boolean): boolean {
  let passed = true;
  for (const item of items) {
    if (test(item)) continue;
    passed = false;
    if (walk.failures === undefined) return false;
  }
  return passed;
}

const properties: Keyword = (operand, value, _schema, walk) => {
  if (!isJsonObject(operand) || !isJsonObject(value)) return true;
  // Whichever side is smaller: arguments are few, and a schema may have thousands of properties.
  return every(Object.keys(value), walk, (name) => {
    const property = fieldOf(operand, name);
    return property === undefined || checkAt(walk, name, property, value[name]);
  });
};

const patternProperties: Keyword = (operand, value, _schema, walk) => {
  if (!isJsonObject(operand) || !isJsonObject(value)) return true;
  return every(Object.keys(operand), walk, (pattern) =>
    every(Object.keys(value), walk, (name) =>
      matchesPattern(pattern, name, operand, walk)
        ? checkAt(walk, name, operand[pattern], value[name])
        : true,
    ),
  );
};

export function isDeclared(name: string, schema: JsonObject, walk: Walk): boolean {
  if (isJsonObject(schema['properties']) && Object.hasOwn(schema['properties'], name)) return true;
  const patterned = schema['patternProperties'];
  if (!isJsonObject(patterned)) return false;
  return Object.keys(patterned).some((pattern) => matchesPattern(pattern, name, patterned, walk));
}

const additionalProperties: Keyword = (operand, value, schema, walk) => {
  if (!isJsonObject(value) || operand === true) return true;
  return every(Object.keys(value), walk, (name) => {
    if (isDeclared(name, schema, walk)) return true;
    return operand === false ? refuse(name, schema, walk) : checkAt(walk, name, operand, value[name]);
  });
};

function refuse(name: string, schema: JsonObject, walk: Walk): false {
  walk.path.push(name);
  const known = isJsonObject(schema['properties']) ? Object.keys(schema['properties']).slice(0, 8) : [];
  fail(walk, () =>
    known.length === 0 ? 'nothing by this name' : `nothing by this name; known: ${known.join(', ')}`,
  );
  walk.path.pop();
  return false;
}

const propertyNames: Keyword = (operand, value, _schema, walk) => {
  if (!isJsonObject(value)) return true;
  return every(Object.keys(value), walk, (name) => checkAt(walk, name, operand, name));
};

const dependentRequired: Keyword = (operand, value, _schema, walk) => {
  if (!isJsonObject(operand) || !isJsonObject(value)) return true;
  const missing = Object.keys(operand)
    .filter((name) => Object.hasOwn(value, name))
    .flatMap((name) => stringsIn(operand[name]))
    .filter((name) => !Object.hasOwn(value, name));
  return missing.length === 0 || fail(walk, () => `also ${missing.slice(0, 8).join(', ')}`);
};

const dependentSchemas: Keyword = (operand, value, _schema, walk) => {
  if (!isJsonObject(operand) || !isJsonObject(value)) return true;
  return every(Object.keys(operand), walk, (name) => {
    const dependent = operand[name];
    return isList(dependent) || !Object.hasOwn(value, name) || walk.check(dependent, value);
  });
};

/** Draft 7 has lists and schemas in one keyword. */
const dependencies: Keyword = (operand, value, schema, walk) =>
  dependentRequired(operand, value, schema, walk) && dependentSchemas(operand, value, schema, walk);

function eachItem(schemas: readonly unknown[], value: unknown, walk: Walk): boolean {
  if (!isList(value)) return true;
  return every(schemas.slice(0, value.length).entries(), walk, ([at, item]) =>
    checkAt(walk, at, item, value[at]),
  );
}

const prefixItems: Keyword = (operand, value, _schema, walk) =>
  !isList(operand) || eachItem(operand, value, walk);

function restOfItems(operand: unknown, from: number, value: unknown, walk: Walk): boolean {
  if (!isList(value) || operand === true) return true;
  if (operand === false) return value.length <= from || fail(walk, () => `at most ${from} items`);
  return every(value.entries(), walk, ([at, item]) => at < from || checkAt(walk, at, operand, item));
}

const items: Keyword = (operand, value, schema, walk) => {
  if (isList(operand)) return eachItem(operand, value, walk);
  return restOfItems(operand, isList(schema['prefixItems']) ? schema['prefixItems'].length : 0, value, walk);
};

const additionalItems: Keyword = (operand, value, schema, walk) =>
  !isList(schema['items']) || restOfItems(operand, schema['items'].length, value, walk);

const contains: Keyword = (operand, value, schema, walk) => {
  if (!isList(value)) return true;
  const fitting = value.filter((item) => passes(walk, operand, item)).length;
  const least = typeof schema['minContains'] === 'number' ? schema['minContains'] : 1;
  const most = typeof schema['maxContains'] === 'number' ? schema['maxContains'] : Infinity;
  if (fitting >= least && fitting <= most) return true;
  const range = most === Infinity ? `at least ${least}` : `${least} to ${most}`;
  return fail(walk, () => `${range} items that are ${typeText(operand, walk.scope[0] ?? schema)}`);
};

const allOf: Keyword = (operand, value, _schema, walk) =>
  !isList(operand) || every(operand, walk, (part) => walk.check(part, value));

const anyOf: Keyword = (operand, value, schema, walk) => {
  if (!isList(operand) || operand.some((option) => passes(walk, option, value))) return true;
  return explainOptions(operand, value, schema, walk);
};

const oneOf: Keyword = (operand, value, schema, walk) => {
  if (!isList(operand)) return true;
  const fitting = operand.filter((option) => passes(walk, option, value)).length;
  if (fitting === 1) return true;
  if (fitting === 0) return explainOptions(operand, value, schema, walk);
  return fail(walk, () => `only one of the alternatives to fit, not ${fitting}`);
};

/** When the value's type leaves one option, what that option misses says more than a list of all. */
function explainOptions(options: readonly unknown[], value: unknown, schema: JsonObject, walk: Walk): false {
  if (walk.failures === undefined) return false;
  const root = walk.scope[0] ?? schema;
  const actual = jsonTypeOf(value);
  const near = options
    .slice(0, 50)
    .filter((option) => actual !== 'none' && typesOf(option, root).has(actual));
  const count = walk.failures.length;
  if (near.length === 1) walk.check(near[0], value);
  if (walk.failures.length > count) return false;
  const objects = options.every((option) => typeText(option, root) === 'object');
  const text = objects
    ? options
        .slice(0, 8)
        .map((option) => needsText(option))
        .join(' or ')
    : typeText({ anyOf: options }, root);
  return fail(walk, () => text);
}

function needsText(option: unknown): string {
  const names = isJsonObject(option) ? stringsIn(option['required']) : [];
  return names.length === 0 ? 'an object' : `an object with ${names.slice(0, 8).join(', ')}`;
}

const not: Keyword = (operand, value, schema, walk) =>
  !passes(walk, operand, value) ||
  fail(walk, () => `anything but ${typeText(operand, walk.scope[0] ?? schema)}`);

const condition: Keyword = (operand, value, schema, walk) => {
  const next = passes(walk, operand, value) ? schema['then'] : schema['else'];
  return next === undefined || walk.check(next, value);
};

export const applicators: readonly (readonly [string, Keyword])[] = [
  ['properties', properties],
  ['patternProperties', patternProperties],
  ['additionalProperties', additionalProperties],
  ['propertyNames', propertyNames],
  ['dependentRequired', dependentRequired],
  ['dependentSchemas', dependentSchemas],
  ['dependencies', dependencies],
  ['prefixItems', prefixItems],
  ['items', items],
  ['additionalItems', additionalItems],
  ['contains', contains],
  ['allOf', allOf],
  ['anyOf', anyOf],
  ['oneOf', oneOf],
  ['not', not],
  ['if', condition],
];
