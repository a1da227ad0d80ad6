/**
 * Validates values against schemas, and converts query parameters, which are always strings, to the schema's
 * types.
 */

import { checkOutput } from '../../catalog/check-output.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Schema } from './schema.ts';

export type Verdict = { readonly ok: true } | { readonly ok: false; readonly errors: readonly string[] };

const mostErrors = 5;

/** The checker remembers what it read of a schema, as long as it is the same object. */
const rendered = new WeakMap<Schema<unknown>, JsonObject>();

export function check(schema: Schema<unknown>, value: unknown): Verdict {
  const json = rendered.get(schema) ?? schema.render();
  rendered.set(schema, json);
  const errors = checkOutput(json, value);
  return errors.length === 0 ? { ok: true } : { ok: false, errors: errors.slice(0, mostErrors) };
}

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
