/**
 * Formats a tool for people: `read_file(path: string, head?: integer = 10)`. Contains untrusted text: escape
 * it before printing.
 */

import { fieldOf, isObject, stringsIn, type JsonObject } from '../kernel/json.ts';
import { normalInputSchema } from './tool-info.ts';
import { short, typeText, valueText } from './schemas/types.ts';

const maxParameters = 30;
const maxParameter = 120;

/** Returns the names of a tool's arguments in the order of its signature: required ones first. */
export function parameterNames(inputSchema: unknown): readonly string[] {
  return orderedNames(normalInputSchema(inputSchema)).ordered;
}

function orderedNames({ properties, required: listed }: JsonObject): {
  readonly ordered: readonly string[];
  readonly required: ReadonlySet<string>;
} {
  const known = isObject(properties) ? properties : {};
  const required = new Set(stringsIn(listed).filter((name) => Object.hasOwn(known, name)));
  return { ordered: [...required, ...Object.keys(known).filter((name) => !required.has(name))], required };
}

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
