/** A tool whose input schema is missing or malformed is still a tool: it gets the nearest schema that can be read. */

import { isInputSchema, isRecord, objectSchemaFields, type Fields } from './checks.ts';
import { keepGood } from './fields.ts';

export interface Mended {
  readonly tool: Fields;
  /** What was done, to be said of the tool; undefined for nothing. */
  readonly note?: string;
}

export function mendInputSchema(tool: Fields): Mended {
  const { inputSchema: given } = tool as { readonly inputSchema?: unknown }; // read, not trusted
  if (isInputSchema(given)) return { tool };
  if (isRecord(given) && admitsObjects(given['type'])) {
    const { value } = keepGood({ ...given, type: 'object' }, objectSchemaFields);
    return { tool: { ...tool, inputSchema: value }, note: 'is malformed: what can be read of it counts' };
  }
  const inputSchema = { type: 'object', properties: {} };
  return { tool: { ...tool, inputSchema }, note: 'is missing or malformed: taken as one without parameters' };
}

/** Arguments are an object whatever a schema says, so one that says nothing of it, or more, means that. */
function admitsObjects(type: unknown): boolean {
  return (
    type === undefined ||
    type === null ||
    (Array.isArray(type) && type.includes('object')) ||
    type === 'object'
  );
}
