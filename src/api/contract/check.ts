/**
 * Validates values against schemas, and converts query parameters, which are always strings, to the schema's
 * types.
 */

import { Validator, type ValidationResult } from '@cfworker/json-schema';

import type { JsonObject } from '../../kernel/json.ts';
import type { Schema } from './schema.ts';

export type Verdict = { readonly ok: true } | { readonly ok: false; readonly errors: readonly string[] };

const mostErrors = 5;

const validators = new WeakMap<Schema<unknown>, Validator>();

export function check(schema: Schema<unknown>, value: unknown): Verdict {
  const known = validators.get(schema) ?? new Validator(schema.render(), '2020-12', false);
  validators.set(schema, known);
  const { valid, errors } = validate(known, value);
  if (valid) return { ok: true };
  // The innermost errors come last and are the most specific.
  const told = errors
    .toReversed()
    .map(
      ({ instanceLocation, error }) => `${instanceLocation.replace(/^#\/?/, '') || 'the whole'}: ${error}`,
    );
  return { ok: false, errors: [...new Set(told)].slice(0, mostErrors) };
}

/** The validator percent-encodes property names, which throws for a lone surrogate. */
function validate(validator: Validator, value: unknown): Pick<ValidationResult, 'valid' | 'errors'> {
  try {
    return validator.validate(value);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return { valid: false, errors: [{ ...wholeValue, error: 'A name in it is not well-formed Unicode.' }] };
  }
}

const wholeValue = { keyword: 'propertyNames', keywordLocation: '#', instanceLocation: '#' };

/** Ignores parameters that the schema does not name. Of a repeated parameter the first value counts. */
export function readQuery(schema: Schema<unknown>, query: URLSearchParams): JsonObject {
  const properties = propertiesOf(schema.render());
  const given = Object.entries(properties).flatMap(([name, rules]) => {
    const text = query.get(name);
    return text === null ? [] : [[name, asWanted(text, rules)] as const];
  });
  return Object.fromEntries(given);
}

function asWanted(text: string, rules: JsonObject): unknown {
  return rules['type'] === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

export function propertiesOf(json: JsonObject): Readonly<Record<string, JsonObject>> {
  return (json['properties'] ?? {}) as Readonly<Record<string, JsonObject>>; // the schema builder ensures this
}
