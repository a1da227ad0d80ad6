/**
 * Repairs a missing or malformed input schema, so that the tool stays usable with the nearest readable
 * schema.
 */

import { isObject, type JsonObject } from '../../kernel/json.ts';
import { isInputSchema, keepGood, objectSchemaFields } from './checks.ts';

export interface Mended {
  readonly tool: JsonObject;
  /** Describes the repair for the warning; undefined when nothing changed. */
  readonly note?: string;
}

/** Returns the tool with a valid input schema. Keeps the readable parts of a malformed one. */
export function mendInputSchema(tool: JsonObject): Mended {
  const { inputSchema: given } = tool as { readonly inputSchema?: unknown }; // untrusted, checked below
  if (isInputSchema(given)) return { tool };
  if (isObject(given) && admitsObjects(given['type'])) {
    const { value } = keepGood({ ...given, type: 'object' }, objectSchemaFields);
    return { tool: { ...tool, inputSchema: value }, note: 'is malformed: what can be read of it counts' };
  }
  const inputSchema = { type: 'object', properties: {} };
  return { tool: { ...tool, inputSchema }, note: 'is missing or malformed: taken as one without parameters' };
}

/**
 * Arguments are always an object, so a missing type, or a list that includes `object`, is read as `object`.
 */
function admitsObjects(type: unknown): boolean {
  return (
    type === undefined ||
    type === null ||
    (Array.isArray(type) && type.includes('object')) ||
    type === 'object'
  );
}
