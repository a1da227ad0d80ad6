/** The keywords that apply other schemas to a value or to parts of it. */

import { fieldOf, isList, isObject, jsonTypeOf, stringsIn, type JsonObject } from '../../kernel/json.ts';
import { chain, countPassing, every, some } from './loops.ts';
import {
  checkAt,
  countMessage,
  fail,
  hasEnoughFailures,
  type Keyword,
  namesOf,
  passes,
  schemaNamesOf,
  type Verdict,
  type Walk,
} from './walk.ts';
import { matchesPattern } from './linear-pattern.ts';
import { maxVisits, short, textBudget, typesOf, typeText } from './types.ts';

/** How many names a message lists, and how many characters of each. */
const namesShown = 8;
const nameShown = 80;

const properties: Keyword = (operand, value, _schema, walk) => {
  if (!isObject(operand) || !isObject(value)) return true;
  // Iterate over the value: arguments are few, but a schema may have thousands of properties.
  return every(namesOf(value, walk), walk, (name) => {
    const property = fieldOf(operand, name);
    return property === undefined || checkAt(walk, name, property, value[name]);
  });
};

const patternProperties: Keyword = (operand, value, _schema, walk) => {
  if (!isObject(operand) || !isObject(value)) return true;
  const names = namesOf(value, walk);
  return every(schemaNamesOf(operand, walk), walk, (pattern) =>
    every(names, walk, (name) =>
      chain(
        matchesPattern(pattern, name, operand, walk),
        (matches) => !matches || checkAt(walk, name, operand[pattern], value[name]),
      ),
    ),
  );
};

export function isDeclared(name: string, schema: JsonObject, walk: Walk): Verdict {
  if (isObject(schema['properties']) && Object.hasOwn(schema['properties'], name)) return true;
  const patterned = schema['patternProperties'];
  if (!isObject(patterned)) return false;
  return some(schemaNamesOf(patterned, walk), walk, (pattern) =>
    matchesPattern(pattern, name, patterned, walk),
  );
}

const additionalProperties: Keyword = (operand, value, schema, walk) => {
  if (!isObject(value) || operand === true) return true;
  return every(namesOf(value, walk), walk, (name) =>
    chain(isDeclared(name, schema, walk), (declared) => {
      if (declared) return true;
      return operand === false ? refuse(name, schema, walk) : checkAt(walk, name, operand, value[name]);
    }),
  );
};

function refuse(name: string, schema: JsonObject, walk: Walk): false {
  walk.path.push(name);
  fail(walk, () => {
    const { properties: declared } = schema as { readonly properties?: unknown }; // checked in the next line
    const known = isObject(declared) ? schemaNamesOf(declared, walk) : [];
    return known.length === 0 ? 'nothing by this name' : `nothing by this name; known: ${namesText(known)}`;
  });
  walk.path.pop();
  return false;
}

function namesText(names: readonly string[]): string {
  return names
    .slice(0, namesShown)
    .map((name) => short(name, nameShown))
    .join(', ');
}

const propertyNames: Keyword = (operand, value, _schema, walk) => {
  if (!isObject(value)) return true;
  return every(namesOf(value, walk), walk, (name) => checkAt(walk, name, operand, name));
};

const dependentRequired: Keyword = (operand, value, _schema, walk) => {
  if (!isObject(operand) || !isObject(value)) return true;
  const missing: string[] = [];
  const note = (name: unknown): boolean => {
    if (typeof name !== 'string' || Object.hasOwn(value, name)) return true;
    missing.push(name);
    return missing.length < namesShown;
  };
  const complete = every(schemaNamesOf(operand, walk), walk, (name) => {
    const needs = operand[name];
    return !Object.hasOwn(value, name) || !isList(needs) || every(needs, walk, note);
  });
  return chain(complete, () => missing.length === 0 || fail(walk, () => `also ${namesText(missing)}`));
};

const dependentSchemas: Keyword = (operand, value, _schema, walk) => {
  if (!isObject(operand) || !isObject(value)) return true;
  return every(schemaNamesOf(operand, walk), walk, (name) => {
    const dependent = operand[name];
    return isList(dependent) || !Object.hasOwn(value, name) || walk.check(dependent, value);
  });
};

/** In draft 7 one keyword holds both lists of names and schemas. */
const dependencies: Keyword = (operand, value, schema, walk) =>
  chain(
    dependentRequired(operand, value, schema, walk),
    (passed) => passed && dependentSchemas(operand, value, schema, walk),
  );

function eachItem(schemas: readonly unknown[], value: unknown, walk: Walk): Verdict {
  if (!isList(value)) return true;
  return every(schemas.slice(0, value.length), walk, (item, at) => checkAt(walk, at, item, value[at]));
}

const prefixItems: Keyword = (operand, value, _schema, walk) =>
  !isList(operand) || eachItem(operand, value, walk);

function restOfItems(operand: unknown, from: number, value: unknown, walk: Walk): Verdict {
  if (!isList(value) || operand === true) return true;
  if (operand === false) return value.length <= from || fail(walk, () => `at most ${from} items`);
  return every(value, walk, (item, at) => at < from || checkAt(walk, at, operand, item));
}

const items: Keyword = (operand, value, schema, walk) => {
  if (isList(operand)) return eachItem(operand, value, walk);
  return restOfItems(operand, isList(schema['prefixItems']) ? schema['prefixItems'].length : 0, value, walk);
};

const additionalItems: Keyword = (operand, value, schema, walk) =>
  !isList(schema['items']) || restOfItems(operand, schema['items'].length, value, walk);

const contains: Keyword = (operand, value, schema, walk) => {
  if (!isList(value)) return true;
  const least = typeof schema['minContains'] === 'number' ? schema['minContains'] : 1;
  const most = typeof schema['maxContains'] === 'number' ? schema['maxContains'] : Infinity;
  const fitting = countPassing(value, walk, (item) => passes(walk, operand, item));
  return chain(fitting, (count) => {
    if (count >= least && count <= most) return true;
    const range = most === Infinity ? `at least ${least}` : `${least} to ${most}`;
    return fail(walk, () => `${range} items that are ${typeText(operand, walk.scope[0] ?? schema)}`);
  });
};

const allOf: Keyword = (operand, value, _schema, walk) =>
  !isList(operand) || every(operand, walk, (part) => walk.check(part, value));

const anyOf: Keyword = (operand, value, schema, walk) => {
  if (!isList(operand)) return true;
  const fits = some(operand, walk, (option) => passes(walk, option, value));
  return chain(fits, (passed) => passed || explainOptions(operand, value, schema, walk));
};

const oneOf: Keyword = (operand, value, schema, walk) => {
  if (!isList(operand)) return true;
  const fitting = countPassing(operand, walk, (option) => passes(walk, option, value));
  return chain(fitting, (count) => {
    if (count === 1) return true;
    if (count === 0) return explainOptions(operand, value, schema, walk);
    return fail(walk, () => `only one of the alternatives to fit, not ${count}`);
  });
};

/**
 * When only one option accepts the value's type, what that option misses is more helpful than a list of all
 * options.
 */
function explainOptions(
  options: readonly unknown[],
  value: unknown,
  schema: JsonObject,
  walk: Walk,
): Verdict {
  const { failures } = walk;
  if (failures === undefined || hasEnoughFailures(walk)) return false;
  const root = walk.scope[0] ?? schema;
  const actual = jsonTypeOf(value);
  // All options share one budget: alternatives that refer to each other multiply the work.
  const visits = { left: 4 * maxVisits };
  const near = options
    .slice(0, maxOptions)
    .filter((option) => actual !== 'none' && typesOf(option, root, visits).has(actual));
  countMessage(walk);
  const count = failures.length;
  const checked = near.length === 1 ? walk.check(near[0], value) : false;
  return chain(checked, () => {
    if (failures.length === count) fail(walk, () => optionsText(options, root));
    return false;
  });
}

const maxOptions = 50;

function optionsText(options: readonly unknown[], root: JsonObject): string {
  const budget = textBudget(2 * maxOptions);
  const objects = options
    .slice(0, maxOptions)
    .every((option) => typeText(option, root, 0, budget) === 'object');
  if (!objects) return typeText({ anyOf: options }, root);
  return options
    .slice(0, namesShown)
    .map((option) => needsText(option))
    .join(' or ');
}

function needsText(option: unknown): string {
  const names = isObject(option) ? stringsIn(option['required']) : [];
  return names.length === 0 ? 'an object' : `an object with ${namesText(names)}`;
}

const not: Keyword = (operand, value, schema, walk) =>
  chain(
    passes(walk, operand, value),
    (passed) => !passed || fail(walk, () => `anything but ${typeText(operand, walk.scope[0] ?? schema)}`),
  );

const condition: Keyword = (operand, value, schema, walk) =>
  chain(passes(walk, operand, value), (passed) => {
    const next = passed ? schema['then'] : schema['else'];
    return next === undefined || walk.check(next, value);
  });

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
