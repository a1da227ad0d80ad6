/**
 * Three tools that replace a long tool list: search, describe, call. Policy and pins apply to the called
 * tool.
 */

import {
  type BuiltInTool,
  mayOffer,
  missingLines,
  type OfferingHost,
} from '../catalog-state/built-in-tools.ts';
import type { Lists } from '../catalog-state/lists.ts';
import { checkArguments } from '../catalog/check-arguments.ts';
import { HoltError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import { nextTurn } from '../platform/waits.ts';
import type { ToolResult } from '../results/tool-result.ts';
import type { HostCallOptions, ToolCalls } from './tool-calls.ts';

/** The methods of a host that the search tools use. */
export interface SearchHost
  extends
    Pick<OfferingHost, 'canAsk'>,
    Pick<Lists, 'searchTools' | 'listErrors'>,
    Pick<ToolCalls, 'findTool' | 'call'> {}

const defaultLimit = 10;
const mostMatches = 1000;
const longestDescription = 300;

export const searchTools: readonly BuiltInTool[] = [
  {
    name: 'search_tools',
    description: 'Finds tools by what they are called and what they do. Look for a tool here first.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'A few words' },
        limit: { type: 'integer', minimum: 1, maximum: 50, description: `${defaultLimit} when left out` },
        server: { type: 'string', description: 'Only tools of this server' },
      },
      required: ['query'],
      additionalProperties: false,
    },
  },
  {
    name: 'describe_tool',
    description: 'Says everything about one tool: what it does and which arguments it takes.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: 'As search_tools gives it' } },
      required: ['name'],
      additionalProperties: false,
    },
  },
  {
    name: 'call_tool',
    description: 'Calls a tool.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'As search_tools gives it' },
        arguments: { type: 'object', description: 'As describe_tool asks for them' },
      },
      required: ['name'],
      additionalProperties: false,
    },
  },
];

/** Runs one of these tools. Rejects with `tool-not-found`, `arguments-invalid`, or as `host.call` does. */
export async function runSearchTool(
  host: SearchHost,
  name: string,
  given: JsonObject,
  options: HostCallOptions = {},
): Promise<ToolResult> {
  const definition = searchTools.find((one) => one.name === name);
  if (definition === undefined)
    throw new HoltError('tool-not-found', `Unknown tool "${name}"`, { tool: name });
  const checked = await checkArguments(definition.inputSchema, given, nextTurn);
  if (checked.kind === 'invalid') {
    const wrong = checked.errors.map(({ path, expected }) => `${path}: expected ${expected}`).join('; ');
    throw new HoltError('arguments-invalid', `The arguments of ${name} do not fit: ${wrong}`, {
      tool: name,
      errors: checked.errors,
    });
  }
  const args = checked.value as { readonly name: string; readonly arguments?: JsonObject }; // the schema asks for them
  if (name === 'search_tools') return findTools(host, checked.value);
  if (name === 'describe_tool') return describe(host, args.name);
  return host.call(args.name, args.arguments ?? {}, options);
}

async function findTools(host: SearchHost, args: JsonObject): Promise<ToolResult> {
  const { query, limit, server } = args as {
    readonly query: string;
    readonly limit?: number;
    readonly server?: string;
  }; // the schema asks for them
  const wanted = limit ?? defaultLimit;
  // Filter before limiting, so that tools that may not be offered do not take up places.
  const matches = await host.searchTools(query, { limit: mostMatches, server });
  const found = matches.filter(({ tool }) => mayOffer(host, tool.decision)).slice(0, wanted);
  const rows = found.map(({ tool }) => ({
    name: tool.name,
    description: shorten(tool.description ?? tool.title ?? ''),
  }));
  const lines = rows.map((row) => `${row.name}: ${row.description}`);
  // Report missing servers only if nothing was found; otherwise they do not matter to the caller.
  const missing = rows.length === 0 ? missingLines(host.listErrors('tools', { server })) : [];
  const text = lines.join('\n') || ['No tool matches. Try other words.', ...missing].join('\n');
  return resultOf('search_tools', text, { tools: rows });
}

async function describe(host: SearchHost, name: string): Promise<ToolResult> {
  const tool = await host.findTool(name);
  if (!mayOffer(host, tool.decision))
    throw new HoltError('tool-not-found', `Unknown tool "${name}"`, { tool: name });
  const { title, description, inputSchema, outputSchema } = tool;
  const facts = { name: tool.name, title, description, inputSchema, outputSchema };
  return resultOf('describe_tool', JSON.stringify(facts, undefined, 2), facts);
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= longestDescription ? line : `${line.slice(0, longestDescription).toWellFormed()}…`;
}

function resultOf(tool: string, text: string, structured: JsonObject): ToolResult {
  return {
    ok: true,
    text,
    content: [{ type: 'text', text }],
    structured,
    attachments: [],
    server: 'holt',
    tool,
    agent: 'holt',
    ms: 0,
  };
}
