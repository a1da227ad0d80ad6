/**
 * Fits `anyOf` and `oneOf` to a provider's rules: as a union if the schema has no shape of its own, otherwise
 * merged into that shape.
 */

import { fieldOf, isList, isObject, stringsIn, type JsonObject } from '../../kernel/json.ts';
import {
  below,
  describedBy,
  orNull,
  spendOnNames,
  unionOf,
  withNotes,
  type Fit,
  type Fitted,
  type Place,
} from './fit.ts';
import { flatten } from './flatten.ts';
import { allTypes, maxVisits, typesOf, valuesText } from './types.ts';

export interface Alternatives {
  readonly kind: 'union' | 'merge';
  readonly keyword: 'anyOf' | 'oneOf';
  readonly options: readonly unknown[];
  /** The options with references resolved. */
  readonly flat: readonly JsonObject[];
}

const maxOptions = 50;

export function alternativesOf(schema: JsonObject, fit: Fit, place: Place): Alternatives | undefined {
  const keyword = isList(schema['anyOf']) ? 'anyOf' : 'oneOf';
  const list = schema[keyword];
  if (!isList(list) || list.length === 0) return undefined;
  const options = list.slice(0, maxOptions);
  const flats = options.map((option) => flatten(option, fit, place));
  const flat = flats.map((each) => each.schema);
  const isShaped = schema['type'] === 'object' || isObject(schema['properties']);
  const isBare = flats.every((each) => each.cycle === undefined && !saysWhatItIs(each.schema));
  return { kind: isShaped || isBare ? 'merge' : 'union', keyword, options, flat };
}

function saysWhatItIs(schema: JsonObject): boolean {
  return ['type', 'properties', 'items', 'prefixItems', 'enum', 'const', 'anyOf', 'oneOf'].some(
    (keyword) => keyword in schema,
  );
}

export function fitUnion(alternatives: Alternatives, schema: JsonObject, fit: Fit, place: Place): Fitted {
  const described = describedBy(schema);
  const values = plainValues(alternatives.flat);
  if (values !== undefined) return fit.fit({ ...described, enum: values }, place);
  const { keyword, options } = alternatives;
  const real = options.filter((_option, at) => !isNull(alternatives.flat[at]));
  const fitted = unionOf(
    real.map((option, at) => fit.fit(option, below(place, `${keyword}[${at}]`))),
    described,
    fit,
  );
  const notes = keyword === 'oneOf' && mayOverlap(real, fit) ? ['only one of these may fit'] : [];
  if (real.length === options.length) return withNotes(fitted, notes, fit, place);
  const nullable = fit.rules.nullable === 'in-words' ? fitted : orNull(fitted, fit);
  return withNotes(nullable, fit.rules.nullable === 'in-words' ? [...notes, 'or null'] : notes, fit, place);
}

function isNull(schema: JsonObject | undefined): boolean {
  return (
    schema?.['type'] === 'null' || (schema !== undefined && 'const' in schema && schema['const'] === null)
  );
}

function mayOverlap(options: readonly unknown[], fit: Fit): boolean {
  const visits = { left: 4 * maxVisits };
  const all = options.flatMap((option) => [...typesOf(option, fit.root, visits)]);
  return new Set(all).size < all.length;
}

/** Returns the values when every option is just a list of scalar values. */
function plainValues(options: readonly JsonObject[]): readonly unknown[] | undefined {
  const lists = options.map((option) => ('const' in option ? [option['const']] : option['enum']));
  if (!lists.every((list) => isList(list))) return undefined;
  const values = [...new Set(lists.flat())];
  return values.every((value) => typeof value !== 'object' || value === null) ? values : undefined;
}

/**
 * Merges all alternatives into one object with their properties. What only some of them require is described
 * in words.
 */
export function mergeAlternatives(
  schema: JsonObject,
  { keyword, flat }: Alternatives,
  fit: Fit,
): { readonly schema: JsonObject; readonly notes: readonly string[] } {
  const own = isObject(schema['properties']) ? schema['properties'] : {};
  const added = new Map<string, unknown[]>();
  for (const option of flat) {
    const properties = isObject(option['properties']) ? option['properties'] : {};
    const names = Object.keys(properties);
    spendOnNames(names.length, fit);
    for (const name of fit.workLeft < 0 ? [] : names) {
      if (!Object.hasOwn(own, name)) added.set(name, [...(added.get(name) ?? []), fieldOf(properties, name)]);
    }
  }
  const entries = [...added].map(
    ([name, parts]) => [name, parts.length === 1 ? parts[0] : { anyOf: parts }] as const,
  );
  const needs = flat.map((option) => stringsIn(option['required']));
  const needed = needs.map((names) => new Set(names));
  const shared = (needs[0] ?? []).filter((name) => needed.every((names) => names.has(name)));
  const { [keyword]: _alternatives, ...rest } = schema;
  const required = [...new Set([...stringsIn(schema['required']), ...shared])];
  const texts = flat.slice(0, 8).map((option) => needsText(option, fit));
  return {
    schema: {
      ...rest,
      ...(entries.length === 0 ? {} : { properties: { ...own, ...Object.fromEntries(entries) } }),
      ...(required.length === 0 ? {} : { required }),
    },
    notes: [`${keyword === 'oneOf' ? 'exactly one' : 'one'} of these: ${texts.join(' | ')}`],
  };
}

function needsText(option: JsonObject, fit: Fit): string {
  const properties = isObject(option['properties']) ? option['properties'] : {};
  const names = new Set([
    ...stringsIn(option['required']),
    ...Object.keys(properties).filter((name) => isFixed(properties[name])),
  ]);
  const words = [...names].slice(0, 8).map((name) => {
    const property = fieldOf(properties, name);
    return isFixed(property) ? `${name} ${valuesText([property['const']])}` : name;
  });
  if (words.length > 0) return words.join(', ');
  const known = Object.keys(properties).slice(0, 8);
  if (known.length > 0) return `perhaps ${known.join(', ')}`;
  const types = typesOf(option, fit.root);
  return types.size < allTypes.length ? [...types].join(' or ') : 'further rules';
}

function isFixed(schema: unknown): schema is JsonObject {
  return isObject(schema) && 'const' in schema;
}
