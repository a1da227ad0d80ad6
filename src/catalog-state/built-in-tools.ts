/**
 * holt's built-in tools, for models that have no access to resources and logins. Bridges and the gateway
 * offer them. They are called like any other tool, and rules name them `holt__<tool>`.
 */

import type { Decision } from '../catalog/tool-info.ts';
import type { ServerReport } from '../connection/supervisor.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Status } from '../kernel/phases.ts';

/** The part of a host that decides which built-in tools to offer. */
export interface OfferingHost {
  canAsk(about: 'permission' | 'login'): boolean;
  explain(name: string): Promise<{ readonly decision: Decision }>;
  report(): Readonly<Record<string, ServerReport>>;
  status(): Readonly<Record<string, Status>>;
}

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
/** Rules name the built-in tools with this prefix. */
export const builtInPrefix = 'holt__';

/** Returns the name without its prefix, or undefined if it is not a built-in tool. */
export function builtInName(name: string): string | undefined {
  const own = name.startsWith(builtInPrefix) ? name.slice(builtInPrefix.length) : name;
  return names.has(own) ? own : undefined;
}

/** Whether a model may be offered a tool with this decision. `ask` requires a person to ask. */
export function mayOffer(host: Pick<OfferingHost, 'canAsk'>, decision: Decision | undefined): boolean {
  return decision === 'allow' || (decision === 'ask' && host.canAsk('permission'));
}

/**
 * Returns the built-in tools that are useful now: a server has resources, or needs a login that a person can
 * do.
 */
export async function offeredBuiltInTools(host: OfferingHost): Promise<readonly BuiltInTool[]> {
  const useful = builtInTools.filter(({ name }) =>
    name === 'mcp_auth' ? needsLogin(host) : hasResources(host),
  );
  const decisions = await Promise.all(useful.map(({ name }) => host.explain(builtInPrefix + name)));
  return useful.filter((_, at) => mayOffer(host, decisions[at]?.decision));
}

function hasResources(host: OfferingHost): boolean {
  return Object.values(host.report()).some(
    ({ lists }) => lists !== undefined && lists.resources.length + lists.resourceTemplates.length > 0,
  );
}

function needsLogin(host: OfferingHost): boolean {
  return host.canAsk('login') && Object.values(host.status()).some(({ status }) => status === 'needs_auth');
}

/** One line per missing server. Without them a model assumes that the list is complete. */
export function missingLines(errors: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(errors).map(([server, reason]) => `Missing: ${server}: ${reason}`);
}
