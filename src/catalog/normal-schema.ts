/**
 * Normalises a tool's input schema: always an object schema with `properties`, otherwise as the server wrote
 * it.
 */

import { isObject, type JsonObject } from '../kernel/json.ts';

/** Returns the same object when there is nothing to add. */
export function normalInputSchema(schema: unknown): JsonObject {
  if (!isObject(schema) || !admitsObjects(schema['type'])) return { type: 'object', properties: {} };
  const hasProperties = isObject(schema['properties']);
  if (schema['type'] !== undefined) return hasProperties ? schema : { ...schema, properties: {} };
  return hasProperties ? { type: 'object', ...schema } : { type: 'object', ...schema, properties: {} };
}

function admitsObjects(type: unknown): boolean {
  if (type === undefined || type === 'object') return true;
  return Array.isArray(type) && type.includes('object');
}
