/**
 * Applies the tool lists of a server's entry: which tools are offered, and which run without asking.
 * Interprets the lists as the agent that owns the entry does.
 */

import { matchesGlob } from '../kernel/glob.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { trimBlanks } from '../masking/edge-blanks.ts';

/** Agents whose lists contain patterns. All other agents' lists contain literal names. */
const withPatterns: ReadonlySet<AgentId> = new Set(['holt', 'amp', 'trae']);

type Filtered = Pick<ServerDefinition, 'tools' | 'origin'>;

/** Whether the entry offers this tool. `exclude` takes precedence over `include`. */
export function isOffered({ tools, origin }: Filtered, tool: string): boolean {
  if (tools === undefined) return true;
  const { include, exclude } = tools;
  // Users cannot see blanks at the ends of a name, so they must not bypass the list.
  const spellings = [tool, trimBlanks(tool)];
  if (exclude !== undefined && spellings.some((name) => isListed(exclude, name, origin.agent))) return false;
  return include === undefined || isListed(include, tool, origin.agent);
}

/**
 * Whether the entry lets this tool run without asking. A project's list applies only after the entry,
 * including the list, was approved.
 */
export function isAutoApproved(
  definition: Filtered & Pick<ServerDefinition, 'guarded'>,
  tool: string,
  approved: boolean,
): boolean {
  const { tools, origin, guarded } = definition;
  if (tools?.autoApprove === undefined || (guarded && !approved)) return false;
  return tools.autoApprove.includes('*') || isListed(tools.autoApprove, tool, origin.agent);
}

function isListed(list: readonly string[], tool: string, agent: AgentId): boolean {
  if (!withPatterns.has(agent)) return list.includes(tool);
  return list.some((entry) => (entry.includes('*') ? matchesGlob(entry, tool) : entry === tool));
}
