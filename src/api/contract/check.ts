/** Does a value fit a schema? And text of a query, which knows no numbers, as what the schema wants. */

import { Validator, type ValidationResult } from '@cfworker/json-schema';

import type { Json, Schema } from './schema.ts';

export type Verdict = { readonly ok: true } | { readonly ok: false; readonly errors: readonly string[] };

const mostErrors = 5;

const validators = new WeakMap<Schema<unknown>, Validator>();

export function check(schema: Schema<unknown>, value: unknown): Verdict {
  const known = validators.get(schema) ?? new Validator(schema.render(), '2020-12', false);
  validators.set(schema, known);
  const { valid, errors } = validate(known, value);
  if (valid) return { ok: true };
  // The innermost faults are told last and say the most.
  const told = errors
    .toReversed()
    .map(
      ({ instanceLocation, error }) => `${instanceLocation.replace(/^#\/?/, '') || 'the whole'}: ${error}`,
    );
  return { ok: false, errors: [...new Set(told)].slice(0, mostErrors) };
}

/** The validator encodes names as parts of an address, which half of a surrogate pair has no form for. */
function validate(validator: Validator, value: unknown): Pick<ValidationResult, 'valid' | 'errors'> {
  try {
    return validator.validate(value);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return { valid: false, errors: [{ ...wholeValue, error: 'A name in it is not well-formed Unicode.' }] };
  }
}

const wholeValue = { keyword: 'propertyNames', keywordLocation: '#', instanceLocation: '#' };

/** Parameters the schema does not name are left out; of one that stands twice the first counts. */
export function readQuery(schema: Schema<unknown>, query: URLSearchParams): Json {
  const properties = propertiesOf(schema.render());
  const given = Object.entries(properties).flatMap(([name, rules]) => {
    const text = query.get(name);
    return text === null ? [] : [[name, asWanted(text, rules)] as const];
  });
  return Object.fromEntries(given);
}

function asWanted(text: string, rules: Json): unknown {
  return rules['type'] === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

export function propertiesOf(json: Json): Readonly<Record<string, Json>> {
  return (json['properties'] ?? {}) as Readonly<Record<string, Json>>; // written so by the builder
}
