/** The agents whose formats holt writes, and where an entry goes for an agent and a scope. */

import {
  writeScopes,
  type AgentFormat,
  type AgentWriter,
  type FileLookup,
  type WriteScope,
  type WriteTarget,
} from '../agents/agent-format.ts';
import { agentFormat, allAgents } from '../agents/all-agents.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Scope } from '../kernel/servers.ts';
import { nearest } from '../kernel/nearest.ts';
import { schemaReference } from '../settings/json-schema.ts';

export { writeScopes, type WriteScope };

export const writableAgents: readonly AgentId[] = allAgents
  .filter(({ writer }) => writer !== undefined)
  .map(({ id }) => id);

/** Undefined for an agent whose files holt only reads. */
export function writerOf(agent: AgentId): AgentWriter | undefined {
  return agentFormat(agent).writer;
}

export interface FoundTarget extends WriteTarget {
  readonly agent: AgentId;
  /** Differs from the requested scope in the home folder, where there is no project. */
  readonly scope: WriteScope;
  /** The format that reads the file. */
  readonly reader: AgentFormat;
  /** The initial content of a new file. */
  readonly start?: string;
}

/**
 * Throws `agent-not-writable` when holt does not write for that agent, and `scope-unavailable` when the agent
 * has no such scope.
 */
export function findTarget(
  agent: AgentId,
  requested: WriteScope,
  lookup: Omit<FileLookup, 'locate'>,
): FoundTarget {
  const { writer, locate } = agentFormat(agent);
  if (writer === undefined) throw notWritable(agent);
  const { machine, files } = lookup;
  const scope = machine.hasProject ? requested : 'user';
  const target = writer.target(scope, { machine, files, locate });
  if (target !== undefined) {
    const reader = agentFormat(target.readAs ?? agent);
    return { ...target, agent, scope, reader, ...(agent === 'holt' ? startOf(scope, lookup) : {}) };
  }
  const scopes = writer.scopes.join(' and ');
  throw new HoltError(
    'scope-unavailable',
    `${agent} has no ${scope} scope`,
    { agent, scope, scopes: writer.scopes },
    { remedy: `It has ${scopes}: use --scope ${writer.scopes[0] ?? 'user'}.` },
  );
}

/** Returns the file that holt writes for an agent and a scope; undefined if it writes none. */
export function writtenFile(
  agent: AgentId,
  scope: Scope,
  { machine, files }: Omit<FileLookup, 'locate'>,
): string | undefined {
  const { writer, locate } = agentFormat(agent);
  const own = writer?.scopes.find((each) => each === scope);
  return own === undefined ? undefined : writer?.target(own, { machine, files, locate })?.file;
}

/** A new file of holt's own starts with the schema reference that editors look for. */
function startOf(scope: WriteScope, lookup: Omit<FileLookup, 'locate'>): { readonly start?: string } {
  const schema = schemaReference('mcp', scope, lookup);
  return schema === undefined ? {} : { start: `{\n  "$schema": ${JSON.stringify(schema)}\n}\n` };
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
