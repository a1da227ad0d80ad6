/**
 * Fits the keywords of one value to a provider's rules: those it supports stay, the others are described in
 * words.
 */

import {
  isList,
  isObject,
  jsonTypeOf,
  stringsIn,
  type JsonObject,
  type JsonType,
} from '../../kernel/json.ts';
import type { Fit, Part } from './fit.ts';
import { parsePattern } from './pattern-syntax.ts';
import { typeText, valuesText, valueText } from './types.ts';

interface Constraint {
  readonly types: readonly JsonType[];
  /** Whether the standard allows this operand. */
  readonly isSound: (operand: unknown) => boolean;
  readonly words: (operand: unknown) => string;
}

const isNumber = (operand: unknown): boolean => typeof operand === 'number' && Number.isFinite(operand);
const isCount = (operand: unknown): boolean => Number.isSafeInteger(operand) && Number(operand) >= 0;

function constraint(types: readonly JsonType[], isSound: Constraint['isSound'], words: string): Constraint {
  return { types, isSound, words: (operand) => words.replace('#', valueText(operand)) };
}

const numbers = ['integer', 'number'] as const;
const constraints: ReadonlyMap<string, Constraint> = new Map([
  ['minimum', constraint(numbers, isNumber, 'at least #')],
  ['maximum', constraint(numbers, isNumber, 'at most #')],
  ['exclusiveMinimum', constraint(numbers, isNumber, 'more than #')],
  ['exclusiveMaximum', constraint(numbers, isNumber, 'less than #')],
  [
    'multipleOf',
    constraint(numbers, (operand) => isNumber(operand) && Number(operand) > 0, 'a multiple of #'),
  ],
  ['minLength', constraint(['string'], isCount, 'at least # characters')],
  ['maxLength', constraint(['string'], isCount, 'at most # characters')],
  [
    'pattern',
    { types: ['string'], isSound: isPattern, words: (operand) => `matches ${String(operand).slice(0, 100)}` },
  ],
  ['format', constraint(['string', ...numbers], (operand) => typeof operand === 'string', 'format #')],
  ['minItems', constraint(['array'], isCount, 'at least # items')],
  ['maxItems', constraint(['array'], isCount, 'at most # items')],
  ['uniqueItems', constraint(['array'], (operand) => operand === true, 'no item twice')],
  ['minProperties', constraint(['object'], isCount, 'at least # properties')],
  ['maxProperties', constraint(['object'], isCount, 'at most # properties')],
]);

/** Keywords that contain schemas and that not every provider supports. They are always described in words. */
const wordsOnly = new Map<string, (operand: unknown, fit: Fit) => string>([
  ['not', (operand, fit) => `not ${typeText(operand, fit.root, 1)}`],
  ['if', () => 'further rules depend on the other values'],
  ['contains', (operand, fit) => `has an item that is ${typeText(operand, fit.root, 1)}`],
  ['propertyNames', (operand, fit) => `names are ${typeText(operand, fit.root, 1)}`],
  ['dependentRequired', needsText],
  ['dependentSchemas', () => 'further rules depend on which properties are given'],
  ['dependencies', needsText],
  [
    'unevaluatedProperties',
    (operand) => (operand === false ? 'no other properties' : 'rules for other properties'),
  ],
  ['unevaluatedItems', (operand) => (operand === false ? 'no other items' : 'rules for other items')],
  ['$dynamicRef', () => 'further rules'],
  ['$recursiveRef', () => 'more of the same'],
]);

function needsText(operand: unknown): string {
  if (!isObject(operand)) return 'further rules';
  const needs = Object.keys(operand)
    .slice(0, 5)
    .map((name) => {
      const others = stringsIn(operand[name]);
      return others.length === 0
        ? `further rules with ${name}`
        : `${name} needs ${others.slice(0, 5).join(', ')}`;
    });
  return needs.join(', ');
}

function isPattern(operand: unknown): boolean {
  if (typeof operand !== 'string' || operand.length > 500) return false;
  try {
    return new RegExp(operand, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

export function fitKeywords(schema: JsonObject, type: JsonType | undefined, fit: Fit): Part {
  const fields: Record<string, unknown> = {};
  const notes: string[] = [];
  const plain = withoutOldBounds(schema, type, fit);
  for (const [keyword, { types, isSound, words }] of constraints) {
    const operand = plain[keyword];
    if (operand === undefined || type === undefined || !types.includes(type)) continue;
    if (isSound(operand) && isSupported(keyword, operand, type, fit)) fields[keyword] = operand;
    else if (isSound(operand) || typeof operand === 'string') notes.push(words(operand));
  }
  for (const [keyword, words] of wordsOnly) {
    if (schema[keyword] !== undefined) notes.push(words(schema[keyword], fit));
  }
  const values = fitValues(schema, type, fit);
  const standard = fitDefault(schema, fit);
  return {
    fields: { ...values.fields, ...fields, ...standard.fields },
    notes: [...values.notes, ...notes, ...standard.notes],
  };
}

function isSupported(keyword: string, operand: unknown, type: JsonType, fit: Fit): boolean {
  if (!fit.rules.keywords.has(keyword)) return false;
  // Like holt, providers match patterns without backtracking; only one accepts all patterns.
  if (keyword === 'pattern')
    return fit.rules.formats === 'all' || parsePattern(String(operand)) !== undefined;
  if (keyword !== 'format' || fit.rules.formats === 'all') return true;
  const isNumeric = /^(?:float|double|u?int\d+)$/.test(String(operand));
  return fit.rules.formats.has(String(operand)) && isNumeric === (type !== 'string');
}

/**
 * Converts the bounds of draft 4 to current keywords. For integers, an exclusive bound that the provider does
 * not support becomes an inclusive one.
 */
function withoutOldBounds(schema: JsonObject, type: JsonType | undefined, fit: Fit): JsonObject {
  if (schema['exclusiveMinimum'] === undefined && schema['exclusiveMaximum'] === undefined) return schema;
  const plain: Record<string, unknown> = { ...schema };
  for (const [excluded, included, step] of [
    ['exclusiveMinimum', 'minimum', 1],
    ['exclusiveMaximum', 'maximum', -1],
  ] as const) {
    if (typeof plain[excluded] === 'boolean') {
      const bound = plain[excluded] ? plain[included] : undefined;
      if (plain[excluded]) delete plain[included];
      plain[excluded] = bound;
    }
    const bound = plain[excluded];
    if (type !== 'integer' || !Number.isSafeInteger(bound) || fit.rules.keywords.has(excluded)) continue;
    delete plain[excluded];
    plain[included] ??= Number(bound) + step;
  }
  return plain;
}

function fitValues(schema: JsonObject, type: JsonType | undefined, fit: Fit): Part {
  const all = 'const' in schema ? [schema['const']] : schema['enum'];
  if (!isList(all)) return { fields: {}, notes: [] };
  const values = all.filter((value) => value !== null && (type === undefined || fitsType(value, type)));
  const isPlain = values.every(
    (value) =>
      typeof value !== 'object' && (fit.rules.enums === 'any' || (typeof value === 'string' && value !== '')),
  );
  const length = values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 1),
    0,
  );
  const most = values.length <= 250 ? 50_000 : 15_000;
  const isSmall = values.length <= fit.enumValuesLeft && length <= most;
  if (!isPlain || !isSmall || values.length === 0)
    return { fields: {}, notes: [`one of ${valuesText(all)}`] };
  fit.enumValuesLeft -= values.length;
  return { fields: { enum: [...new Set(values)] }, notes: [] };
}

function fitsType(value: unknown, type: JsonType): boolean {
  const actual = jsonTypeOf(value);
  return actual === type || (type === 'number' && actual === 'integer');
}

function fitDefault(schema: JsonObject, fit: Fit): Part {
  const value = schema['default'];
  if (value === undefined || value === null) return { fields: {}, notes: [] };
  if (fit.rules.keywords.has('default') && typeof value !== 'object')
    return { fields: { default: value }, notes: [] };
  return {
    fields: {},
    notes: [`default ${isList(value) && value.length < 9 ? `[${valuesText(value)}]` : valueText(value)}`],
  };
}
