/**
 * Problems that only the whole roster shows: one server under several names, agents that the project's settings
 * exclude, and placeholders whose variable is not set.
 */

import { selectAgents } from '../agents/all-agents.ts';
import { fieldName, unsetVariables, type VariableMention } from '../dialects/mentions.ts';
import { guardByPlace } from '../discovery/discover.ts';
import type { FindPlace } from '../discovery/load-source.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Problem } from '../kernel/problems.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Files } from '../platform/files/files.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import type { RosterEntry } from './rank.ts';
import { endpointKey } from './same-server.ts';

/**
 * Finds servers that one agent has under several names: this is valid, but that agent starts them more than
 * once. Returns one problem for each server, however many names it has.
 */
export function findDuplicates(servers: readonly RosterEntry[]): readonly Problem[] {
  const byEndpoint = new Map<string, RosterEntry[]>();
  for (const entry of servers) {
    if (!entry.definition.enabled) continue;
    const key = endpointKey(entry.definition);
    const group = byEndpoint.get(key);
    if (group === undefined) byEndpoint.set(key, [entry]);
    else group.push(entry);
  }
  return [...byEndpoint.values()].flatMap((group) => duplicateIn(inOneAgent(group)));
}

/** Returns the entries that share an agent with another one. Different agents may use different names. */
function inOneAgent(group: readonly RosterEntry[]): readonly RosterEntry[] {
  if (group.length < 2) return [];
  return group.filter((entry) => {
    const own = agentsOf(entry);
    return group.some((other) => other !== entry && agentsOf(other).some((agent) => own.includes(agent)));
  });
}

/** Returns the agents whose files have the server enabled under this name. */
function agentsOf({ definition: { origin, alsoIn } }: RosterEntry): readonly AgentId[] {
  return [origin, ...alsoIn.filter(({ enabled }) => enabled)].map(({ agent }) => agent);
}

function duplicateIn(entries: readonly RosterEntry[]): readonly Problem[] {
  const last = entries.at(-1);
  if (last === undefined) return [];
  const { file, line, column } = last.definition.origin;
  const quoted = entries.map(({ ref }) => `"${ref}"`);
  const names = `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1) ?? ''}`;
  return [
    {
      severity: 'warning',
      code: 'server-duplicate',
      file,
      line,
      column,
      server: last.ref,
      message: `${names} are the same server under ${entries.length === 2 ? 'two' : entries.length} names`,
      remedy: entries.length === 2 ? 'Remove or disable one of them.' : 'Remove or disable all but one.',
    },
  ];
}

/**
 * Returns one problem for all agents that have files in the project and that only the project's settings
 * exclude: the user may look for the servers in them.
 */
export function excludedAgentProblems(
  { settings, projectSettings, contributions }: LoadedSettings,
  { machine, files }: { readonly machine: Machine; readonly files: Files },
): readonly Problem[] {
  const theirs = contributions.find(({ name, forOwnServers }) => name === 'agents' && forOwnServers);
  if (theirs === undefined) return [];
  const read = new Set(selectAgents(projectSettings.agents).map(({ id }) => id));
  const missed = selectAgents(settings.agents).filter(
    (agent) =>
      !read.has(agent.id) &&
      agent
        .locate(machine)
        .some((location) => guardByPlace(location, machine).guarded && files.exists(location.path)),
  );
  if (missed.length === 0) return [];
  const { file = '', line = 1 } = theirs.origin;
  return [
    {
      severity: 'warning',
      code: 'agents-left-out',
      file,
      line,
      column: 1,
      message: `the settings of this project leave out its own files of these agents: ${missed.map(({ id }) => id).join(', ')}`,
      remedy: 'HOLT_AGENTS="*" in the environment reads them all the same.',
    },
  ];
}

export interface UnsetParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly placeOf: FindPlace;
}

/** Returns one problem for each place and variable, however many agents read that place. */
export function unsetProblems(
  entries: readonly Pick<RosterEntry, 'definition' | 'trust'>[],
  { env, placeOf }: UnsetParts,
): readonly Problem[] {
  const problems = new Map<string, Problem>();
  const isSet = (name: string): boolean => env[name] !== undefined;
  for (const { definition } of entries.filter(mayStart)) {
    for (const mention of unsetVariables(definition, isSet)) {
      const place = placeOf(definition, mention.text) ?? definition.origin;
      const { file, line, column } = place;
      const key = `${line}:${column}:${mention.name.length}:${mention.name}${file}`;
      problems.set(key, { file, line, column, server: definition.name, ...messageOf(definition, mention) });
    }
  }
  return [...problems.values()];
}

/**
 * A server that is disabled, denied or blocked does not start, so it lacks nothing. One that awaits approval
 * may start soon.
 */
function mayStart({ definition, trust }: Pick<RosterEntry, 'definition' | 'trust'>): boolean {
  return definition.enabled && trust !== 'denied' && trust !== 'blocked';
}

function messageOf(
  { name: server }: ServerDefinition,
  { name, field, path, whenUnset }: VariableMention,
): Pick<Problem, 'severity' | 'code' | 'message' | 'remedy'> {
  const code = 'placeholder-unset';
  const remedy = `Set ${name}, or change the entry.`;
  if (whenUnset === 'omit') {
    const message = `the variable ${name} is not set: "${server}" runs without it`;
    return { severity: 'info', code, message, remedy };
  }
  const where = fieldName([field, ...path.slice(1)]);
  const message = `"${server}" needs the variable ${name} (in "${where}"), which is not set`;
  return { severity: 'warning', code, message, remedy };
}
