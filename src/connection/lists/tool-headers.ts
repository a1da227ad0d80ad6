/**
 * Tools may declare arguments (`x-mcp-header`) that a stateless HTTP server expects as headers too. Builds
 * these headers, and drops tools with invalid declarations, which must not be offered. Pure.
 */

import type { Tool } from '../../kernel/protocol-types.ts';

const keyword = 'x-mcp-header';
/** The characters that are valid in a header name. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const headerTypes = new Set<unknown>(['string', 'integer', 'boolean']);
/** The values of these keys are data, not schemas. */
const dataKeys = new Set(['const', 'default', 'enum', 'examples']);
/** Deeper levels are not searched. No hand-written schema is nested this deeply. */
const deepest = 200;

/** An argument that is sent as a header too. */
interface HeaderArgument {
  readonly name: string;
  /** The keys that lead to it in the arguments. */
  readonly path: readonly string[];
}

export interface HeaderArguments {
  readonly all: readonly HeaderArgument[];
  /** Describes the first rule that is broken. */
  readonly fault?: string;
}

type Schema = Readonly<Record<string, unknown>>;

/** Where a schema is: `path` is undefined where no argument can be. */
interface Place {
  readonly path: readonly string[] | undefined;
  readonly depth: number;
}

export function readHeaderArguments(inputSchema: unknown): HeaderArguments {
  const all: HeaderArgument[] = [];
  const fault = search(inputSchema, { path: [], depth: 0 }, all);
  return { all, ...(fault === undefined ? {} : { fault }) };
}

function search(node: unknown, place: Place, found: HeaderArgument[]): string | undefined {
  if (typeof node !== 'object' || node === null || place.depth > deepest) return undefined;
  const schema = node as Schema; // arrays are searched by index
  const fault =
    keyword in schema && !Array.isArray(node) ? readDeclaration(schema, place.path, found) : undefined;
  if (fault !== undefined) return fault;
  for (const [key, value] of Object.entries(schema)) {
    if (dataKeys.has(key)) continue;
    const inner =
      key === 'properties'
        ? searchProperties(value, place, found)
        : search(value, { path: undefined, depth: place.depth + 1 }, found);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** Under `properties`, the keys are argument names. */
function searchProperties(
  properties: unknown,
  { path, depth }: Place,
  found: HeaderArgument[],
): string | undefined {
  if (typeof properties !== 'object' || properties === null) return undefined;
  for (const [name, value] of Object.entries(properties)) {
    const below = path === undefined ? undefined : [...path, name];
    const fault = search(value, { path: below, depth: depth + 1 }, found);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function readDeclaration(schema: Schema, path: Place['path'], found: HeaderArgument[]): string | undefined {
  const name = schema[keyword];
  if (path === undefined || path.length === 0) return `${keyword} stands where no argument can be`;
  if (typeof name !== 'string' || !token.test(name)) return `${keyword} is not the name of a header`;
  if (!headerTypes.has(schema['type']))
    return `${keyword} is on something other than a string, a whole number or a boolean`;
  if (found.some((other) => other.name.toLowerCase() === name.toLowerCase()))
    return `${keyword} "${name}" appears twice`;
  found.push({ name, path });
  return undefined;
}

const known = new WeakMap<Tool, readonly HeaderArgument[]>();

/** The headers of a call, or undefined if the tool declares none. Arguments that are not given have none. */
export function headersOf(tool: Tool, args: unknown): Readonly<Record<string, string>> | undefined {
  const declared = known.get(tool) ?? readHeaderArguments(tool.inputSchema).all;
  known.set(tool, declared);
  if (declared.length === 0) return undefined;
  const headers: Record<string, string> = {};
  for (const { name, path } of declared) {
    const value = encodeValue(path.reduce(memberOf, args));
    if (value !== undefined) headers[`Mcp-Param-${name}`] = value;
  }
  return headers;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Schema)[key] : undefined;
}

/** Undefined for values that no header can carry. */
function encodeValue(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'boolean' && typeof value !== 'number') return undefined;
  if (
    typeof value === 'number' &&
    !(Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value))
  )
    return undefined;
  const text = String(value);
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** Drops tools with invalid declarations, with a warning for each. */
export function withoutInvalidHeaders(
  tools: readonly Tool[],
  warn: (code: string, message: string) => void,
): readonly Tool[] {
  const valid = tools.filter(({ name, inputSchema }) => {
    const { fault } = readHeaderArguments(inputSchema);
    if (fault !== undefined) warn('entry-malformed', `tool "${name.slice(0, 100)}" left out: ${fault}`);
    return fault === undefined;
  });
  return valid.length === tools.length ? tools : valid;
}
