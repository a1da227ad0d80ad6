/**
 * Finds servers that one agent has under several names: this is valid, but that agent starts them more than
 * once.
 */

import type { AgentId } from '../kernel/agent-ids.ts';
import type { Problem } from '../kernel/problems.ts';
import type { RosterEntry } from './rank.ts';
import { endpointKey } from './same-server.ts';

/** Returns one problem for each server, however many names it has. */
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
