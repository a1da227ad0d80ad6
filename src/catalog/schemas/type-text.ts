/**
 * Describes a schema in a few words: `string`, `"a" | "b"`, `integer[]`, `{path: string, head?: integer}`.
 * The length is limited, whatever the schema.
 */

import { fieldOf, isList, isObject, type JsonObject, type JsonType } from '../../kernel/json.ts';
import { schemaNames, schemaStrings } from './json.ts';
import { allTypes, followed, maxLooks, typesOf } from './types-of.ts';

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
  readonly looks: { left: number };
}

export function textBudget(texts = maxTexts): TextBudget {
  return { texts: { left: texts }, looks: { left: 4 * maxLooks } };
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

interface Look extends TextBudget {
  readonly root: JsonObject;
  readonly depth: number;
}

function deeper(look: Look): Look {
  return { ...look, depth: look.depth + 1 };
}

function textOf(schema: unknown, look: Look): string {
  look.texts.left -= 1;
  const here = followed(schema, look.root);
  if (here === false) return 'nothing';
  if (!isObject(here) || look.texts.left < 0) return 'any';
  const values = 'const' in here ? [here['const']] : here['enum'];
  if (isList(values)) return valuesText(values);
  const options = isList(here['anyOf']) ? here['anyOf'] : here['oneOf'];
  if (isList(options) && options.length > 0 && look.depth < 3) return unionText(options, look);
  return plainText(here, look);
}

function plainText(here: JsonObject, look: Look): string {
  const types = typesOf(here, look.root, look.looks);
  if (types.size === allTypes.length || types.size === 0) {
    return isObject(here['properties']) ? 'object' : 'any';
  }
  const names = [...types].filter((type) => type !== 'integer' || !types.has('number')).toReversed();
  return names.map((type) => oneType(type, here, look)).join(' | ');
}

function unionText(options: readonly unknown[], look: Look): string {
  const texts = new Set(options.slice(0, maxValues).map((option) => textOf(option, deeper(look))));
  if (options.length > maxValues) texts.add('…');
  return short([...texts].join(' | '), maxText);
}

function oneType(type: JsonType, schema: JsonObject, look: Look): string {
  if (type === 'array') return listText(schema, look);
  return type === 'object' && look.depth < 2 ? objectText(schema, look) : type;
}

function listText(schema: JsonObject, look: Look): string {
  const items = schema['items'];
  if (!isObject(items) || look.depth >= 3) return 'array';
  const inner = textOf(items, deeper(look));
  return inner.includes(' | ') ? `(${inner})[]` : `${inner}[]`;
}

function objectText(schema: JsonObject, look: Look): string {
  const properties = schema['properties'];
  // The outermost object is the arguments as a whole, or something that the reader knows by name.
  if (!isObject(properties) || look.depth === 0) return 'object';
  const names = schemaNames(properties);
  if (names.length === 0 || names.length > maxFields) return 'object';
  const required = schemaStrings(schema['required']);
  const fields = names.map(
    (name) => `${name}${required.has(name) ? '' : '?'}: ${textOf(fieldOf(properties, name), deeper(look))}`,
  );
  const text = `{${fields.join(', ')}}`;
  return text.length > maxText ? 'object' : text;
}

export function short(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}
