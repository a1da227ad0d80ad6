/**
 * Names the key of a server's entry that extends a limit, for messages.
 * The agent's table of keys knows it.
 */

import type { AgentId } from '../kernel/agent-ids.ts';
import type { Phase } from '../kernel/phases.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { TimeoutField } from './server-shape.ts';
import { agentFormat } from './all-agents.ts';

export type LimitName = Phase | 'start' | 'idle' | 'total';

export interface TimeoutKey {
  /** A path of keys joined by dots. */
  readonly key: string;
  readonly unit: 'milliseconds' | 'seconds';
}

const milliseconds = (key: string): TimeoutKey => ({ key, unit: 'milliseconds' });
const seconds = (key: string): TimeoutKey => ({ key, unit: 'seconds' });

/** Agents that support `phase_timeouts`, or that ignore keys they do not know. */
const phaseAgents: ReadonlySet<AgentId> = new Set(['chimera-mink', 'claude-code', 'holt', 'mcp-json']);

/** Returns `undefined` if the format has no key for this limit. */
export function timeoutKeyOf(
  { origin: { agent }, dialect }: Pick<ServerDefinition, 'origin' | 'dialect'>,
  limit: LimitName,
): TimeoutKey | undefined {
  // A definition passed in by the embedding program may be in opencode's format.
  const format = agent === 'holt' && dialect === 'opencode' ? 'opencode' : agent;
  if (limit === 'idle') return keyOf(format, ['idle']);
  if (format === 'holt' && (limit === 'total' || limit === 'start'))
    return milliseconds(`timeouts.${limit}Ms`);
  if (limit === 'total') return undefined;
  const start = keyOf(format, ['start', 'phases']);
  if (limit === 'start' || start !== undefined) return start;
  return phaseAgents.has(format) ? seconds(`phase_timeouts.${limit}`) : undefined;
}

/** The key that has the last word, since later fields win. */
function keyOf(agent: AgentId, meanings: readonly TimeoutField['means'][]): TimeoutKey | undefined {
  const { timeouts = [] } = agentFormat(agent).shape;
  const field = timeouts.findLast(({ means, alias }) => alias !== true && meanings.includes(means));
  return field === undefined ? undefined : field.unit === 's' ? seconds(field.key) : milliseconds(field.key);
}
