/** Rewrites a schema so that it follows a provider's rules. */

import { isObject, type JsonObject, type JsonType } from '../../kernel/json.ts';
import {
  asJsonText,
  describedBy,
  orNull,
  spendOnSchema,
  unionOf,
  withNotes,
  type Fit,
  type Fitted,
  type Place,
} from './fit.ts';
import { fitItems, fitObject } from './fit-containers.ts';
import { fitKeywords } from './fit-keywords.ts';
import { alternativesOf, fitUnion, mergeAlternatives } from './fit-union.ts';
import { flatten } from './flatten.ts';
import { allTypes, typesOf, typeText } from './types.ts';

export function fitSchema(schema: unknown, fit: Fit, place: Place): Fitted {
  fit.schemasLeft -= 1;
  const flat = flatten(schema, fit, place);
  spendOnSchema(flat.schema, fit);
  if (fit.workLeft < 0) return fallback(flat.schema, fit, place);
  const described = describedBy(flat.schema);
  if (flat.cycle !== undefined && place.path.length > 0) return fitCycle(flat.cycle, described, fit, place);
  const isTooMuch = fit.schemasLeft < 0 || place.depth > fit.rules.maxDepth;
  const fitted =
    isTooMuch && hasSubschemas(flat.schema, fit)
      ? cut(flat.schema, described, fit, place)
      : fitFlat(flat.schema, fit, { ...place, enclosing: flat.enclosing });
  return withNotes(fitted, flat.notes, fit, place);
}

const tooLarge = 'too large to be spelled out';

/** The fallback when the work budget is used up: the type without any details. */
function fallback(schema: JsonObject, fit: Fit, place: Place): Fitted {
  if (place.path.length === 0)
    return withNotes(fitObject({ type: 'object' }, fit, place), [tooLarge], fit, place);
  const types = [...typesOf(schema, fit.root)].filter((type) => type !== 'null');
  const [type] = types;
  if (types.length === 1 && type !== undefined && type !== 'object' && type !== 'array') return { type };
  return fit.rules.typed ? asJsonText(tooLarge, {}, fit, place) : withNotes({}, [tooLarge], fit, place);
}

/**
 * Puts a schema that refers to itself under `$defs` if the provider supports references; otherwise ends the
 * recursion here.
 */
function fitCycle(cycle: JsonObject, described: Fitted, fit: Fit, place: Place): Fitted {
  if (!fit.rules.references) return asJsonText('more of the same', described, fit, place);
  const name = fit.definitions.get(cycle) ?? `part${fit.definitions.size + 1}`;
  fit.definitions.set(cycle, name);
  return { $ref: `#/$defs/${name}` };
}

function hasSubschemas(schema: JsonObject, fit: Fit): boolean {
  const types = typesOf(schema, fit.root);
  return fit.schemasLeft < 0 || types.has('object') || types.has('array');
}

function cut(schema: JsonObject, described: Fitted, fit: Fit, place: Place): Fitted {
  const what = typeText(schema, fit.root);
  if (fit.rules.typed) return asJsonText(what, described, fit, place);
  return withNotes(described, [`${what}, too deep or too large to be spelled out`], fit, place);
}

function fitFlat(schema: JsonObject, fit: Fit, place: Place): Fitted {
  const alternatives = alternativesOf(schema, fit, place);
  if (alternatives?.kind === 'union') return fitUnion(alternatives, schema, fit, place);
  if (alternatives === undefined) return fitTypes(schema, fit, place);
  const merged = mergeAlternatives(schema, alternatives, fit);
  return withNotes(fitFlat(merged.schema, fit, place), merged.notes, fit, place);
}

function fitTypes(schema: JsonObject, fit: Fit, place: Place): Fitted {
  // Arguments are always an object, whatever else the schema says.
  if (place.path.length === 0) return fitObject(schema, fit, place);
  const types = typesOf(schema, fit.root);
  if (types.size === allTypes.length) return fitUntyped(schema, fit, place);
  const plain = [...types].filter((type) => type !== 'null' && !(type === 'integer' && types.has('number')));
  if (plain.length === 0) return fitNothing(schema, fit, place);
  const options = plain.map((type) =>
    fitOne(plain.length === 1 ? schema : undescribed(schema), type, fit, place),
  );
  const fitted = unionOf(options, plain.length === 1 ? {} : describedBy(schema), fit);
  if (!types.has('null')) return fitted;
  return fit.rules.nullable === 'in-words' ? withNotes(fitted, ['or null'], fit, place) : orNull(fitted, fit);
}

function undescribed(schema: JsonObject): JsonObject {
  const { description: _description, title: _title, ...rest } = schema;
  return rest;
}

function fitUntyped(schema: JsonObject, fit: Fit, place: Place): Fitted {
  const type = impliedType(schema);
  if (type !== undefined) return fitOne(schema, type, fit, place);
  const { fields, notes } = fitKeywords(schema, undefined, fit);
  if (!fit.rules.typed) return withNotes({ ...describedBy(schema), ...fields }, notes, fit, place);
  const options = ['string', 'number', 'boolean'].map((each) => ({ type: each }));
  return withNotes(unionOf(options, describedBy(schema), fit), ['any value', ...notes], fit, place);
}

const signs: readonly (readonly [JsonType, RegExp])[] = [
  ['object', /^(?:properties|required|additionalProperties|patternProperties|propertyNames|dependent.*)$/],
  ['array', /^(?:items|prefixItems|contains|minItems|maxItems|uniqueItems)$/],
  ['string', /^(?:pattern|minLength|maxLength|format)$/],
  ['number', /^(?:minimum|maximum|exclusive.*|multipleOf)$/],
];

/** Returns the type that the author of a schema without one must have meant. */
function impliedType(schema: JsonObject): JsonType | undefined {
  const keywords = Object.keys(schema);
  return signs.find(([, sign]) => keywords.some((keyword) => sign.test(keyword)))?.[0];
}

/** For a schema that allows only null, or no value at all. */
function fitNothing(schema: JsonObject, fit: Fit, place: Place): Fitted {
  if (fit.rules.nullable === 'type-list') return { type: 'null', ...describedBy(schema) };
  return withNotes({ type: 'string', ...describedBy(schema) }, ['only null'], fit, place);
}

function fitOne(schema: JsonObject, type: JsonType, fit: Fit, place: Place): Fitted {
  if (type === 'object') return fitObject(schema, fit, place);
  const own = fitKeywords(schema, type, fit);
  const items = type === 'array' ? fitItems(schema, fit, place) : { fields: {}, notes: [] };
  const fitted = { type, ...describedBy(schema), ...own.fields, ...items.fields };
  return withNotes(fitted, [...own.notes, ...items.notes], fit, place);
}

/** Fits the schemas under `$defs`, including those that are found while fitting them. */
export function fitDefinitions(fit: Fit): Fitted {
  const fitted: Record<string, Fitted> = {};
  // Iterating over a map includes entries that are added meanwhile.
  for (const [schema, name] of fit.definitions) {
    const place: Place = { path: ['$defs', name], depth: 2, enclosing: [schema] };
    const { $defs: _$defs, definitions: _definitions, ...body } = schema;
    fitted[name] = fit.fit(isObject(body) ? body : {}, place);
  }
  return fitted;
}
