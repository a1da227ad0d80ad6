/** The agents whose formats holt writes, and where an entry goes for an agent and a scope. */

import type { AgentId } from '../kernel/agent-ids.ts';
import { HoltError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';
import { claudeFamily } from './writers/claude-family.ts';
import { commandLines } from './writers/command-lines.ts';
import { continueWriter } from './writers/continue.ts';
import { editors } from './writers/editors.ts';
import { opencodeFamily } from './writers/opencode-family.ts';
import type { AgentWriter, Look, Target, WriteScope } from './writers/target.ts';

export { writeScopes, type AgentWriter, type WriteScope } from './writers/target.ts';

const writers: readonly AgentWriter[] = [
  ...claudeFamily,
  ...opencodeFamily,
  ...editors,
  ...commandLines,
  continueWriter,
];

export const writableAgents: readonly AgentId[] = writers.map(({ agent }) => agent);

/** Undefined for an agent whose files holt only reads. */
export function writerOf(agent: AgentId): AgentWriter | undefined {
  return writers.find((writer) => writer.agent === agent);
}

export interface FoundTarget extends Target {
  readonly agent: AgentId;
  /** Differs from the requested scope in the home folder, where there is no project. */
  readonly scope: WriteScope;
}

/**
 * Throws `agent-not-writable` when holt does not write for that agent, and `scope-unavailable` when the agent
 * has no such scope.
 */
export function findTarget(agent: AgentId, asked: WriteScope, look: Look): FoundTarget {
  const writer = writerOf(agent);
  if (writer === undefined) throw notWritable(agent);
  const scope = look.machine.hasProject ? asked : 'user';
  const target = writer.target(scope, look);
  if (target !== undefined) return { ...target, agent, scope };
  const scopes = writer.scopes.join(' and ');
  throw new HoltError(
    'scope-unavailable',
    `${agent} has no ${scope} scope`,
    { agent, scope, scopes: writer.scopes },
    { remedy: `It has ${scopes}: use --scope ${writer.scopes[0] ?? 'user'}.` },
  );
}

function notWritable(agent: string): HoltError<'agent-not-writable'> {
  const near = nearest(agent, writableAgents);
  const list = writableAgents.toSorted().join(', ');
  return new HoltError(
    'agent-not-writable',
    `holt reads the files of ${agent} and does not write them`,
    { agent, writable: writableAgents },
    {
      remedy:
        near === undefined
          ? `It writes those of ${list}.`
          : `Did you mean "${near}"? It writes those of ${list}.`,
    },
  );
}
