/**
 * Tools may mark arguments (`x-mcp-header`) that a stateless HTTP server expects as headers too. Tools with
 * invalid marks must not be offered. The SDK client knows the others and sends the headers. Pure.
 */

import type { ResponseCacheStore } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../kernel/json.ts';
import type { Tool } from '../../kernel/protocol-types.ts';

const mark = 'x-mcp-header';
/** The characters that are valid in a header name. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const markedTypes = new Set<unknown>(['string', 'integer', 'boolean']);
/** The values of these keys are data, not schemas. */
const dataKeys = new Set(['const', 'default', 'enum', 'examples']);
/** Deeper levels are not searched. No hand-written schema is nested this deeply. */
const deepest = 200;

export interface Marks {
  readonly count: number;
  /** Describes the first rule that is broken. */
  readonly fault?: string;
}

export function readMarks(inputSchema: unknown): Marks {
  const names = new Set<string>();
  const look = (
    node: unknown,
    where: { readonly isReachable: boolean; readonly depth: number },
  ): string | undefined => {
    if (typeof node !== 'object' || node === null || where.depth > deepest) return undefined;
    const schema = node as JsonObject; // arrays are searched by index
    const fault = mark in schema && !Array.isArray(node) ? faultOf(schema, where, names) : undefined;
    if (fault !== undefined) return fault;
    for (const [key, value] of Object.entries(schema)) {
      if (dataKeys.has(key)) continue;
      const found =
        key === 'properties'
          ? lookInto(value, where)
          : look(value, { isReachable: false, depth: where.depth + 1 });
      if (found !== undefined) return found;
    }
    return undefined;
  };
  /** Under `properties`, the keys are argument names. */
  const lookInto = (
    properties: unknown,
    { isReachable, depth }: { readonly isReachable: boolean; readonly depth: number },
  ): string | undefined => {
    if (typeof properties !== 'object' || properties === null) return undefined;
    for (const value of Object.values(properties)) {
      const found = look(value, { isReachable, depth: depth + 1 });
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const fault = look(inputSchema, { isReachable: true, depth: 0 });
  return { count: names.size, ...(fault === undefined ? {} : { fault }) };
}

function faultOf(
  schema: JsonObject,
  { isReachable, depth }: { readonly isReachable: boolean; readonly depth: number },
  names: Set<string>,
): string | undefined {
  const name = schema[mark];
  if (!isReachable || depth === 0) return `${mark} stands where no argument can be`;
  if (typeof name !== 'string' || !token.test(name)) return `${mark} is not the name of a header`;
  if (!markedTypes.has(schema['type']))
    return `${mark} is on something other than a string, a whole number or a boolean`;
  if (names.has(name.toLowerCase())) return `${mark} "${name}" appears twice`;
  names.add(name.toLowerCase());
  return undefined;
}

const known = new WeakMap<Tool, boolean>();

/** True if some of the tool's arguments are sent as headers too. */
export function isMarked(tool: Tool): boolean {
  const found = known.get(tool) ?? readMarks(tool.inputSchema).count > 0;
  known.set(tool, found);
  return found;
}

/** Drops tools with invalid marks, with a warning for each. */
export function withoutFaultyMarks(
  tools: readonly Tool[],
  warn: (code: string, message: string) => void,
): readonly Tool[] {
  const kept = tools.filter(({ name, inputSchema }) => {
    const { fault } = readMarks(inputSchema);
    if (fault !== undefined) warn('entry-malformed', `tool "${name.slice(0, 100)}" left out: ${fault}`);
    return fault === undefined;
  });
  return kept.length === tools.length ? tools : kept;
}

/**
 * The cache of the SDK client. It contains only the marked tools, without output schemas: holt already stores
 * all lists, and a second copy of them as a string would waste memory.
 */
export function createMarkedStore(tools: () => readonly Tool[]): ResponseCacheStore {
  let seen: readonly Tool[] | undefined;
  let value: string | undefined;
  let stamp = 0;
  const keep = (list: readonly Tool[]): void => {
    const marked = list.filter(({ inputSchema }) => readMarks(inputSchema).count > 0);
    const plain = marked.map(({ name, inputSchema }) => ({ name, inputSchema }));
    value = plain.length === 0 ? undefined : JSON.stringify({ tools: plain });
    stamp += 1;
  };
  return {
    get: ({ method }) => {
      if (method !== 'tools/list') return undefined;
      const now = tools();
      if (now !== seen) {
        seen = now;
        keep(now);
      }
      return value === undefined ? undefined : { value, stamp, expiresAt: 0, scope: 'private' };
    },
    set: ({ method }, entry) => {
      // The client lists the tools again when a server reports that the marks have changed.
      if (method === 'tools/list') {
        seen = tools();
        keep((JSON.parse(entry.value) as { tools: Tool[] }).tools); // serialized by the client
      }
      return stamp;
    },
    delete: () => undefined,
    evict: () => undefined,
    clear: () => {
      seen = undefined;
    },
  };
}
