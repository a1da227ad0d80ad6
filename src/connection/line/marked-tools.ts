/**
 * Tools may mark arguments that a stateless HTTP server wants to see as headers too (`x-mcp-header`). A tool whose marks
 * cannot be kept may not be offered; the others are known to the SDK's client, which mirrors what is marked. Pure.
 */

import type { ResponseCacheStore } from '@modelcontextprotocol/client';
import type { Tool } from '../../kernel/protocol-types.ts';

const mark = 'x-mcp-header';
/** Anything else could not be a header's name. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const markedTypes = new Set<unknown>(['string', 'integer', 'boolean']);
/** What stands below these is data, not schema. */
const dataKeys = new Set(['const', 'default', 'enum', 'examples']);
/** Deeper than anybody writes by hand. */
const deepest = 200;

export interface Marks {
  readonly count: number;
  /** The first rule that is broken. */
  readonly fault?: string;
}

type Schema = Readonly<Record<string, unknown>>;

export function readMarks(inputSchema: unknown): Marks {
  const names = new Set<string>();
  const look = (
    node: unknown,
    where: { readonly isReachable: boolean; readonly depth: number },
  ): string | undefined => {
    if (typeof node !== 'object' || node === null || where.depth > deepest) return undefined;
    const schema = node as Schema; // arrays are looked into by index
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
  /** Below `properties` the keys are names of arguments. */
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
  schema: Schema,
  { isReachable, depth }: { readonly isReachable: boolean; readonly depth: number },
  names: Set<string>,
): string | undefined {
  const name = schema[mark];
  if (!isReachable || depth === 0) return `${mark} stands where no argument can be`;
  if (typeof name !== 'string' || !token.test(name)) return `${mark} is not the name of a header`;
  if (!markedTypes.has(schema['type']))
    return `${mark} stands at something else than a text, a whole number or a yes or no`;
  if (names.has(name.toLowerCase())) return `${mark} "${name}" stands twice`;
  names.add(name.toLowerCase());
  return undefined;
}

const known = new WeakMap<Tool, boolean>();

/** True when some of its arguments travel as headers too. */
export function isMarked(tool: Tool): boolean {
  const found = known.get(tool) ?? readMarks(tool.inputSchema).count > 0;
  known.set(tool, found);
  return found;
}

/** Leaves out what may not be offered. */
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
 * What the SDK's client may remember: only the marked tools, without what it would check results against. Everything else
 * is kept once, in our own lists, and never as text a second time.
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
      // The client lists anew when a server said that its marks are others.
      if (method === 'tools/list') {
        seen = tools();
        keep((JSON.parse(entry.value) as { tools: Tool[] }).tools); // it was a list of tools a moment ago
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
