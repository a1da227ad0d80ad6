/** Random values that are valid for a schema of the API. Supports only what the API’s schema builder writes. */

import fc from 'fast-check';
import type { JsonObject } from '../../src/kernel/json.ts';

export function arbitraryOf(schema: JsonObject): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[])); // as the builder writes it
  if (Array.isArray(schema['anyOf'])) return fc.oneof(...(schema['anyOf'] as JsonObject[]).map(arbitraryOf)); // as above
  switch (schema['type']) {
    case 'string':
      return fc.string({
        minLength: numberOf(schema, 'minLength', 0),
        maxLength: numberOf(schema, 'maxLength', 20),
      });
    case 'integer':
      return fc.integer({ min: numberOf(schema, 'minimum', -1000), max: numberOf(schema, 'maximum', 1000) });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(arbitraryOf(schema['items'] as JsonObject), { maxLength: 3 });
    case 'object':
      return objectOf(schema);
    default:
      return fc.jsonValue();
  }
}

function numberOf(schema: JsonObject, key: string, otherwise: number): number {
  const value = schema[key];
  return typeof value === 'number' ? value : otherwise;
}

function objectOf(schema: JsonObject): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonObject>);
  const values = schema['additionalProperties'];
  if (properties.length === 0)
    return fc.dictionary(
      fc.string({ maxLength: 8 }),
      typeof values === 'object' ? arbitraryOf(values as JsonObject) : fc.jsonValue(),
      {
        maxKeys: 3,
        noNullPrototype: true,
      },
    );
  const fields = Object.fromEntries(properties.map(([name, inner]) => [name, arbitraryOf(inner)]));
  return fc.record(fields, { requiredKeys: (schema['required'] ?? []) as string[], noNullPrototype: true });
}
