/**
 * Formats a tool for people: `read_file(path: string, head?: integer = 10)`. Contains untrusted text: escape
 * it before printing.
 */

import { fieldOf, isObject, type JsonObject } from '../kernel/json.ts';
import { short, typeText, valueText } from './schemas/types.ts';
import { normalInputSchema, orderedNames } from './tool-info.ts';

const maxParameters = 30;

const maxParameter = 120;

/** Limits the length of each part, whatever the schema. */
export function signatureOf(tool: { readonly name: string; readonly inputSchema: unknown }): string {
  const schema = normalInputSchema(tool.inputSchema);
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const { ordered, required } = orderedNames(schema);
  const shown = ordered
    .slice(0, maxParameters)
    .map((name) => parameterText(name, fieldOf(properties, name), required.has(name), schema));
  if (ordered.length > maxParameters) shown.push(`… ${ordered.length - maxParameters} more`);
  return `${tool.name}(${shown.join(', ')})`;
}

function parameterText(name: string, property: unknown, isRequired: boolean, root: JsonObject): string {
  const type = short(typeText(property, root, 1), maxParameter);
  const standard = isObject(property) && 'default' in property ? ` = ${valueText(property['default'])}` : '';
  return `${short(name, 80)}${isRequired ? '' : '?'}: ${type}${standard}`;
}
