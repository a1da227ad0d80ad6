/**
 * Names the key of a server's entry that extends a limit, for messages.
 * The key exists in the format of the entry's file.
 */

import type { AgentId } from '../kernel/agent-ids.ts';
import type { Phase } from '../kernel/phases.ts';
import type { ServerDefinition } from '../kernel/servers.ts';

export type LimitName = Phase | 'start' | 'idle' | 'total';

export interface TimeoutKey {
  /** A path of keys joined by dots. */
  readonly key: string;
  readonly unit: 'milliseconds' | 'seconds';
}

const milliseconds = (key: string): TimeoutKey => ({ key, unit: 'milliseconds' });
const seconds = (key: string): TimeoutKey => ({ key, unit: 'seconds' });

/** Limits a start, or each phase of it. */
const startKeys: Readonly<Partial<Record<AgentId, TimeoutKey>>> = {
  '1mcp': milliseconds('connectionTimeout'),
  'chimera-otter': milliseconds('timeout_ms'),
  codex: seconds('startup_timeout_sec'),
  continue: milliseconds('connectionTimeout'),
  crush: seconds('timeout'),
  'grok-build': seconds('startup_timeout_sec'),
  hermes: seconds('connect_timeout'),
  kilo: milliseconds('timeout'),
  'kimi-code': milliseconds('startupTimeoutMs'),
  'mistral-vibe': seconds('startup_timeout_sec'),
  omp: milliseconds('timeout'),
  opencode: milliseconds('timeout'),
  qwen: milliseconds('discoveryTimeoutMs'),
  reasonix: seconds('startup_timeout_seconds'),
};

/** Limits how long a call may be silent. */
const callKeys: Readonly<Partial<Record<AgentId, TimeoutKey>>> = {
  '1mcp': milliseconds('requestTimeout'),
  'amazon-q': milliseconds('timeout'),
  'chimera-otter': milliseconds('timeout_ms'),
  'claude-code': milliseconds('timeout'),
  cline: seconds('timeout'),
  codex: seconds('tool_timeout_sec'),
  'copilot-cli': milliseconds('timeout'),
  'factory-droid': milliseconds('timeoutMs'),
  gemini: milliseconds('timeout'),
  goose: seconds('timeout'),
  'grok-build': seconds('tool_timeout_sec'),
  hermes: seconds('timeout'),
  holt: milliseconds('timeout'),
  'kimi-code': milliseconds('toolTimeoutMs'),
  kiro: milliseconds('timeout'),
  'mcp-json': milliseconds('timeout'),
  'mistral-vibe': seconds('tool_timeout_sec'),
  omp: milliseconds('timeout'),
  pi: milliseconds('requestTimeoutMs'),
  qwen: milliseconds('timeout'),
  reasonix: seconds('call_timeout_seconds'),
  roo: seconds('timeout'),
  zed: seconds('timeout'),
};

/** Agents that support `phase_timeouts`, or that ignore keys they do not know. */
const phaseAgents: ReadonlySet<AgentId> = new Set(['chimera-mink', 'claude-code', 'holt', 'mcp-json']);

/** Returns `undefined` if the format has no key for this limit. */
export function timeoutKeyOf(
  { origin: { agent }, dialect }: Pick<ServerDefinition, 'origin' | 'dialect'>,
  limit: LimitName,
): TimeoutKey | undefined {
  // A definition passed in by the embedding program may be in opencode's format.
  const format = agent === 'holt' && dialect === 'opencode' ? 'opencode' : agent;
  if (limit === 'idle') return callKeys[format];
  if (limit === 'total') return format === 'holt' ? milliseconds('timeouts.totalMs') : undefined;
  if (limit === 'start') return format === 'holt' ? milliseconds('timeouts.startMs') : startKeys[format];
  return startKeys[format] ?? (phaseAgents.has(format) ? seconds(`phase_timeouts.${limit}`) : undefined);
}
