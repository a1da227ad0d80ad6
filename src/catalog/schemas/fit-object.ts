/**
 * Fits an object schema to a provider's rules: its properties, which of them are required, and whether others
 * are allowed.
 */

import { fieldOf, isObject, putField, stringsIn, type JsonObject } from '../../kernel/json.ts';
import {
  asJsonText,
  below,
  describedBy,
  orNull,
  spendOnNames,
  withNotes,
  type Fit,
  type Fitted,
  type Part,
  type Place,
} from './fit.ts';
import { fitKeywords } from './fit-keywords.ts';
import { flatten } from './flatten.ts';
import { safeName } from './safe-name.ts';
import { typeText } from './type-text.ts';

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
    const called = place.path.length === 0 ? publicName(name, taken, fit) : name;
    const isNeeded = required.has(name);
    const orNullWord = fit.rules.strict && !isNeeded ? 'or-null' : undefined;
    putField(properties, called, fit.fit(declared[name], below(place, name), orNullWord));
    if (fit.rules.strict || isNeeded) needed.push(called);
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

function publicName(name: string, taken: ReadonlySet<string>, fit: Fit): string {
  const { names: rule } = fit.rules;
  if (rule === undefined || rule.test(name)) return name;
  const safe = safeName(name, rule, {
    isTaken: (other) => taken.has(other) || fit.renamed.has(other),
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
export function leftOutAsNull(fitted: Fitted, fit: Fit): Fitted {
  const { type } = fitted;
  const hasNull =
    type === 'null' || (Array.isArray(type) && type.includes('null')) || allowsNull(fitted['anyOf']);
  return hasNull ? fitted : orNull(fitted, fit);
}

function allowsNull(options: unknown): boolean {
  return Array.isArray(options) && options.some((option) => isObject(option) && option['type'] === 'null');
}
