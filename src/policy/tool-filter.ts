/** The lists of tools in a server's own entry: what is offered at all, and what goes unasked, as that agent means them. */

import { matchesGlob } from '../agents/name-glob.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { trimBlanks } from '../masking/edge-blanks.ts';

/** Agents whose lists hold patterns; in all others a name is a name. */
const withPatterns: ReadonlySet<AgentId> = new Set(['holt', 'amp', 'trae']);

type Filtered = Pick<ServerDefinition, 'tools' | 'origin'>;

/** What a list leaves out is left out, whatever another list says. */
export function isOffered({ tools, origin }: Filtered, tool: string): boolean {
  if (tools === undefined) return true;
  const { include, exclude } = tools;
  // Blanks at the ends of a name cannot be seen, so they must not get a tool past the list.
  const spellings = [tool, trimBlanks(tool)];
  if (exclude !== undefined && spellings.some((name) => isListed(exclude, name, origin.agent))) return false;
  return include === undefined || isListed(include, tool, origin.agent);
}

/** A project's own list counts once the entry, with the list in it, is approved. */
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
