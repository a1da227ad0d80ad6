/**
 * Fits object and array schemas to a provider's rules: properties and their names, which are required,
 * whether others are allowed, and items.
 */

import { fieldOf, isList, isObject, type JsonObject, putField, stringsIn } from '../../kernel/json.ts';
import { fitKeywords } from './fit-keywords.ts';
import {
  asJsonText,
  below,
  describedBy,
  type Fit,
  type Fitted,
  orNull,
  type Part,
  type Place,
  spendOnNames,
  unionOf,
  withNotes,
} from './fit.ts';
import { flatten } from './flatten.ts';
import { typeText } from './types.ts';

export function fitObject(schema: JsonObject, fit: Fit, place: Place): Fitted {
  const isRoot = place.path.length === 0;
  const declared = declaredProperties(schema, fit, place);
  const names = Object.keys(declared).filter((name) => declared[name] !== false);
  const others = fitOthers(schema, fit, place);
  if (names.length === 0 && fit.rules.typed && !isRoot) {
    return asJsonText(['an object', ...others.notes].join(', '), describedBy(schema), fit, place);
  }
  const own = fitKeywords(schema, 'object', fit);
  const properties = fitProperties(declared, names, schema, { fit, place });
  const notes = [...own.notes, ...others.notes, ...properties.notes];
  const fitted = {
    type: 'object',
    ...describedBy(schema),
    ...properties.fields,
    ...own.fields,
    ...others.fields,
  };
  return withNotes(fitted, notes, fit, place);
}

function fitProperties(
  declared: JsonObject,
  names: readonly string[],
  schema: JsonObject,
  { fit, place }: { readonly fit: Fit; readonly place: Place },
): Part {
  const required = new Set(stringsIn(schema['required']));
  const properties: Record<string, unknown> = {};
  const needed: string[] = [];
  const shown = names.slice(0, Math.max(0, fit.schemasLeft));
  const taken = new Set(shown);
  for (const name of shown) {
    const newName = place.path.length === 0 ? acceptedName(name, taken, fit) : name;
    const isNeeded = required.has(name);
    const orNullWord = fit.rules.strict && !isNeeded ? 'or-null' : undefined;
    putField(properties, newName, fit.fit(declared[name], below(place, name), orNullWord));
    if (fit.rules.strict || isNeeded) needed.push(newName);
  }
  const left = names.length - shown.length;
  return {
    fields: { properties, ...(needed.length > 0 || fit.rules.strict ? { required: needed } : {}) },
    notes: left > 0 ? [`${left} more properties`] : [],
  };
}

/** Includes properties that only `required` or a condition mentions. */
function declaredProperties(schema: JsonObject, fit: Fit, place: Place): JsonObject {
  const declared: Record<string, unknown> = {
    ...(isObject(schema['properties']) ? schema['properties'] : {}),
  };
  const dependent = isObject(schema['dependentSchemas'])
    ? Object.values(schema['dependentSchemas']).slice(0, 50)
    : [];
  for (const part of [schema['then'], schema['else'], ...dependent]) {
    const { properties } = flatten(part, fit, place).schema;
    if (!isObject(properties)) continue;
    const names = Object.keys(properties);
    spendOnNames(names.length, fit);
    for (const name of names) {
      if (!Object.hasOwn(declared, name)) putField(declared, name, fieldOf(properties, name));
    }
  }
  for (const name of stringsIn(schema['required'])) {
    if (!Object.hasOwn(declared, name)) putField(declared, name, true);
  }
  return declared;
}

function acceptedName(name: string, taken: ReadonlySet<string>, fit: Fit): string {
  const { names: rule } = fit.rules;
  if (rule === undefined || rule.test(name)) return name;
  const safe = safeName(name, rule, {
    isSupported: (other) => taken.has(other) || fit.renamed.has(other),
    numbers: fit.numbers,
  });
  fit.renamed.set(safe, name);
  return safe;
}

/** Fits the rules for properties that the schema does not name. */
function fitOthers(schema: JsonObject, fit: Fit, place: Place): Part {
  const others = schema['additionalProperties'];
  const patterned = schema['patternProperties'];
  const notes = isObject(patterned)
    ? Object.keys(patterned)
        .slice(0, 5)
        .map(
          (pattern) =>
            `names that match ${pattern.slice(0, 60)} hold ${typeText(patterned[pattern], fit.root)}`,
        )
    : [];
  if (fit.rules.additionalProperties) {
    if (others === undefined || notes.length > 0) return { fields: {}, notes };
    const fitted = typeof others === 'boolean' ? others : fit.fit(others, below(place, '*'));
    return { fields: { additionalProperties: fitted }, notes };
  }
  const fields = fit.rules.strict ? { additionalProperties: false } : {};
  if (others === false)
    return { fields, notes: fit.rules.strict ? notes : [...notes, 'no other properties'] };
  if (others === undefined) return { fields, notes };
  return { fields, notes: [...notes, `other properties hold ${typeText(others, fit.root)}`] };
}

/** Makes an optional value nullable, for providers that require every property. */
export function omittedAsNull(fitted: Fitted, fit: Fit): Fitted {
  const { type } = fitted;
  const hasNull =
    type === 'null' || (Array.isArray(type) && type.includes('null')) || allowsNull(fitted['anyOf']);
  return hasNull ? fitted : orNull(fitted, fit);
}

function allowsNull(options: unknown): boolean {
  return Array.isArray(options) && options.some((option) => isObject(option) && option['type'] === 'null');
}

export function fitItems(schema: JsonObject, fit: Fit, place: Place): Part {
  const { items, prefixItems } = schema;
  const tuple = isList(prefixItems) ? prefixItems : isList(items) ? items : undefined;
  if (tuple !== undefined && tuple.length > 0) return fitTuple(tuple, schema, fit, place);
  if (items === undefined || isList(items)) return untypedItems(fit, place);
  if (items === false) return { fields: { items: { type: 'string' } }, notes: ['an empty list'] };
  return { fields: { items: fit.fit(items, below(place, 'items')) }, notes: [] };
}

function untypedItems(fit: Fit, place: Place): Part {
  return { fields: { items: fit.fit(true, below(place, 'items')) }, notes: [] };
}

function fitTuple(tuple: readonly unknown[], schema: JsonObject, fit: Fit, place: Place): Part {
  const fitted = tuple.slice(0, 50).map((item, at) => fit.fit(item, below(place, at)));
  const rest = isList(schema['items']) ? schema['additionalItems'] : schema['items'];
  if (fit.rules.tuples) {
    const items = rest === false ? false : fit.fit(rest ?? true, below(place, 'items'));
    return { fields: { prefixItems: fitted, items }, notes: [] };
  }
  const kinds = tuple.slice(0, 8).map((item) => typeText(item, fit.root));
  return { fields: { items: unionOf(fitted, {}, fit) }, notes: [`in this order: ${kinds.join(', ')}`] };
}

const maxLength = 64;

export interface TakenNames {
  readonly isSupported: (name: string) => boolean;
  /**
   * The last number that was added to each name, so that numbering thousands of equal names takes linear
   * time.
   */
  readonly numbers: Map<string, number>;
}

/** Replaces refused characters with `_`, and adds a number when the result is taken. */
export function safeName(name: string, rule: RegExp, { isSupported, numbers }: TakenNames): string {
  const plain = name.slice(0, maxLength).replaceAll(/[^a-zA-Z0-9_]/g, '_');
  const base = rule.test(plain) ? plain : `_${plain}`.slice(0, maxLength);
  if (!isSupported(base)) return base;
  for (let count = (numbers.get(base) ?? 1) + 1; ; count += 1) {
    const numbered = `${base.slice(0, maxLength - 6)}_${count}`;
    numbers.set(base, count);
    if (!isSupported(numbered)) return numbered;
  }
}
