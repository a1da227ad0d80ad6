/**
 * Chooses what a bridge offers to a model: the tools that may be called, including those that need permission
 * if a person can be asked, and holt's own tools; or three search tools instead of the whole list.
 */

import { runBuiltInTool } from '../calls/built-in-calls.ts';
import { runSearchTool, searchTools } from '../calls/search-tools.ts';
import { mayOffer, offeredBuiltInTools } from '../catalog-state/built-in-tools.ts';
import { type Provider, restoreNames, schemaFor } from '../catalog/provider-schemas.ts';
import type { Host, HostCallOptions } from '../host/host.ts';
import { HoltError, ToolAborted } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { ToolResult } from '../results/tool-result.ts';

export interface BridgeOptions {
  /** Offers three search tools instead of the whole list; `auto` does so when the list would be long. */
  readonly search?: boolean | 'auto' | undefined;
  /**
   * `false` omits holt's own tools for resources and logins, which are otherwise offered when they are
   * useful.
   */
  readonly builtIn?: boolean | undefined;
  /** `settled` waits for every server; `cached` uses what is known. Defaults to what the host does. */
  readonly wait?: 'cached' | 'settled' | undefined;
}

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** Adapted to the provider. Arguments are checked against the server's own schema. */
  readonly schema: JsonObject;
  readonly run: (args: JsonObject, options: HostCallOptions) => Promise<ToolResult>;
}

interface Offer {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: JsonObject;
  readonly run: (args: JsonObject, options: HostCallOptions) => Promise<ToolResult>;
}

/** Longer lists cost a model more than they help it. This is about ten thousand tokens. */
const longListCharacters = 40_000;

export async function offeredTools(
  host: Host,
  provider: Provider,
  options: BridgeOptions = {},
): Promise<readonly OfferedTool[]> {
  const offers = await chooseOffers(host, options);
  return offers.map((offer) => {
    const { schema, description, renamed } = schemaFor(offer, provider);
    return {
      name: offer.name,
      description,
      schema,
      run: (args, call) => offer.run(restoreNames(args, renamed), call),
    };
  });
}

async function chooseOffers(host: Host, { search, builtIn, wait }: BridgeOptions): Promise<readonly Offer[]> {
  // List first: this waits for servers, and which of holt's own tools are useful depends on them.
  const tools = (await host.tools({ wait })).filter(({ decision }) => mayOffer(host, decision));
  const own = builtIn === false ? [] : await builtInOffers(host);
  if (search === true) return [...searchOffers(host), ...own];
  const offers = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
    run: (args: JsonObject, options: HostCallOptions) => host.call(name, args, options),
  }));
  if (search === 'auto' && JSON.stringify(offers).length > longListCharacters)
    return [...searchOffers(host), ...own];
  return [...offers, ...own];
}

async function builtInOffers(host: Host): Promise<readonly Offer[]> {
  const tools = await offeredBuiltInTools(host);
  return tools.map((tool) => ({
    ...tool,
    run: (args: JsonObject, options: HostCallOptions) => runBuiltInTool(host, tool.name, args, options),
  }));
}

function searchOffers(host: Host): readonly Offer[] {
  return searchTools.map((tool) => ({
    ...tool,
    run: (args: JsonObject, options: HostCallOptions) => runSearchTool(host, tool.name, args, options),
  }));
}

export interface ModelCall {
  readonly name: string;
  /** As the model sent them: an object, or JSON text. */
  readonly args: unknown;
}

/**
 * Returns failures as results for the model. Rejects only when the call is cancelled or holt itself fails.
 */
export async function runModelCall(
  tools: readonly OfferedTool[],
  { name, args }: ModelCall,
  options: HostCallOptions,
): Promise<ToolResult> {
  try {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new HoltError('tool-not-found', `Unknown tool "${name}"`, { tool: name });
    return await tool.run(readArguments(args, name), options);
  } catch (error) {
    if (error instanceof ToolAborted || !HoltError.is(error)) throw error;
    return failedResult(name, error);
  }
}

function readArguments(args: unknown, tool: string): JsonObject {
  const value = typeof args === 'string' ? parse(args) : (args ?? {});
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject; // checked
  const errors = [{ path: '(root)', expected: 'an object' }];
  throw new HoltError('arguments-invalid', `The arguments of ${tool} are not a JSON object`, {
    tool,
    errors,
  });
}

function parse(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failedResult(tool: string, { code, message }: HoltError): ToolResult {
  const text = `Error: ${message}`;
  const content = [{ type: 'text' as const, text }];
  return {
    ok: false,
    text,
    content,
    attachments: [],
    error: { code, message },
    server: '',
    tool,
    agent: '',
    ms: 0,
  };
}
