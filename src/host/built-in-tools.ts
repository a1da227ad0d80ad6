/**
 * holt's built-in tools, for models that have no access to resources and logins. Bridges and the gateway
 * offer them. They are called like any other tool, and rules name them `holt__<tool>`.
 */

import type { JsonObject } from '../kernel/json.ts';
import type { Decision } from '../catalog/tool-info.ts';
import { HoltError } from '../kernel/errors.ts';
import type { CallAnswer } from '../results/make-result.ts';
import type { ToolResult } from '../results/tool-result.ts';
import type { Host, HostCallOptions } from './host.ts';

export interface BuiltInTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

const text = (description: string): JsonObject => ({ type: 'string', description });

const objectOf = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

export const builtInTools: readonly BuiltInTool[] = [
  {
    name: 'list_mcp_resources',
    description: 'Lists the resources that MCP servers offer, of all servers or of one.',
    inputSchema: objectOf({ server: text('Only this server') }, []),
  },
  {
    name: 'read_mcp_resource',
    description: 'Reads one resource of an MCP server.',
    inputSchema: objectOf({ server: text('The server that has it'), uri: text('Its address') }, [
      'server',
      'uri',
    ]),
  },
  {
    name: 'mcp_auth',
    description:
      'Starts logging in to an MCP server. Gives the address that the user has to open in a browser.',
    inputSchema: objectOf({ server: text('The server to log in to') }, ['server']),
  },
];

const names: ReadonlySet<string> = new Set(builtInTools.map(({ name }) => name));
const prefix = 'holt__';

/** Returns the name without its prefix, or undefined if it is not a built-in tool. */
export function builtInName(name: string): string | undefined {
  const own = name.startsWith(prefix) ? name.slice(prefix.length) : name;
  return names.has(own) ? own : undefined;
}

/** Whether a model may be offered a tool with this decision. `ask` requires a person to ask. */
export function mayOffer(host: Host, decision: Decision | undefined): boolean {
  return decision === 'allow' || (decision === 'ask' && host.canAsk('permission'));
}

/**
 * Returns the built-in tools that are useful now: a server has resources, or needs a login that a person can
 * do.
 */
export async function offeredBuiltInTools(host: Host): Promise<readonly BuiltInTool[]> {
  const useful = builtInTools.filter(({ name }) =>
    name === 'mcp_auth' ? needsLogin(host) : hasResources(host),
  );
  const decisions = await Promise.all(useful.map(({ name }) => host.explain(prefix + name)));
  return useful.filter((_, at) => mayOffer(host, decisions[at]?.decision));
}

function hasResources(host: Host): boolean {
  return Object.values(host.report()).some(
    ({ lists }) => lists !== undefined && lists.resources.length + lists.resourceTemplates.length > 0,
  );
}

function needsLogin(host: Host): boolean {
  return host.canAsk('login') && Object.values(host.status()).some(({ status }) => status === 'needs_auth');
}

/** Calls a built-in tool through `host.call`, with its policy checks and questions. */
export function runBuiltInTool(
  host: Host,
  name: string,
  args: JsonObject,
  options: HostCallOptions = {},
): Promise<ToolResult> {
  return host.call(prefix + name, args, options);
}

/** Executes a built-in tool that policy has allowed. `args` match its schema. */
export async function answerBuiltIn(
  host: Host,
  name: string,
  args: JsonObject,
  { signal }: HostCallOptions,
): Promise<CallAnswer> {
  const { server, uri } = args as { readonly server: string; readonly uri: string }; // the schema asks for them
  switch (name) {
    case 'list_mcp_resources': {
      const options = 'server' in args ? { server } : {};
      const resources = await host.resources(options);
      const errors = host.listErrors('resources', options);
      const lines = [
        ...resources.map((one) => `${one.server}: ${one.name} <${one.uri}>`),
        ...missingLines(errors),
      ];
      return answer(lines.join('\n') || 'There are no resources.', {
        resources,
        ...(Object.keys(errors).length === 0 ? {} : { errors }),
      });
    }
    case 'read_mcp_resource': {
      const { contents } = await host.readResource(server, uri, { signal });
      return { content: contents.map((resource) => ({ type: 'resource', resource })) };
    }
    case 'mcp_auth': {
      const { authorizationUrl } = await host.startAuth(server);
      return answer(`Ask the user to open this address to log in to ${server}:\n${authorizationUrl}`, {
        authorizationUrl,
      });
    }
    default:
      throw new HoltError('tool-not-found', `Unknown tool "${name}"`, { tool: name });
  }
}

/** One line per missing server. Without them a model assumes that the list is complete. */
export function missingLines(errors: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(errors).map(([server, reason]) => `Missing: ${server}: ${reason}`);
}

function answer(said: string, structuredContent: JsonObject): CallAnswer {
  return { content: [{ type: 'text', text: said }], structuredContent };
}
