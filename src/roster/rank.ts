/**
 * Which definition has a name, which stand behind it, and why. A pure function of definitions and approvals:
 * the order in which files were read plays no part.
 */

import type { AgentServers } from '../discovery/discover.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import { scopes, type Origin, type Scope, type ServerDefinition } from '../kernel/servers.ts';
import { isAllowed, type Approvals, type TrustState } from '../trust/trust-state.ts';
import { contentKey } from './same-server.ts';

export interface RosterEntry {
  /** How it is called: the name for a winner, `name@agent` or `name@agent:scope` for one in the shadow. */
  readonly ref: string;
  readonly definition: ServerDefinition;
  readonly trust: TrustState;
  readonly shadows: readonly Origin[];
  /** The scopes this name is defined in, weakest first. */
  readonly scopes: readonly string[];
}

export interface RankedServers {
  readonly servers: readonly RosterEntry[];
  readonly shadowed: readonly RosterEntry[];
}

/** The place of an agent in an order of preference. */
export type RankOfAgent = (agent: AgentId) => number;

/**
 * `agents` in order of preference, each with its own definitions best first. `projectRank` orders what the project
 * defines among itself; nothing else moves.
 */
export function rankServers(
  agents: readonly AgentServers[],
  approvals: Approvals,
  projectRank?: RankOfAgent,
): RankedServers {
  const names = new Map<string, Candidate[][]>();
  for (const { definitions } of agents) {
    for (const [name, own] of groupByName(definitions, approvals)) {
      const lists = names.get(name);
      if (lists === undefined) names.set(name, [own]);
      else lists.push(own);
    }
  }
  const [servers, shadowed]: [RosterEntry[], RosterEntry[]] = [[], []];
  for (const [name, lists] of [...names].toSorted(([left], [right]) => (left < right ? -1 : 1))) {
    const ranked = rankName(name, lists, projectRank);
    servers.push(...ranked.slice(0, 1));
    shadowed.push(...ranked.slice(1));
  }
  return { servers, shadowed };
}

export interface Candidate {
  readonly definition: ServerDefinition;
  readonly trust: TrustState;
}

function groupByName(
  definitions: readonly ServerDefinition[],
  approvals: Approvals,
): Map<string, Candidate[]> {
  const groups = new Map<string, Candidate[]>();
  for (const definition of definitions) {
    const candidate = { definition, trust: approvals.stateOf(definition) };
    const group = groups.get(definition.name);
    if (group === undefined) groups.set(definition.name, [candidate]);
    else group.push(candidate);
  }
  return groups;
}

/** The winner first. */
function rankName(
  name: string,
  lists: readonly Candidate[][],
  projectRank: RankOfAgent | undefined,
): readonly RosterEntry[] {
  const only = lists.length === 1 && lists[0]?.length === 1 ? lists[0][0] : undefined;
  if (only !== undefined) return [{ ref: name, shadows: [], scopes: weakestFirst(placesOf(only)), ...only }];
  // What may run comes before what may not: an unapproved project entry takes no name.
  const order = [true, false].flatMap((allowed) => {
    const some = interleave(lists.map((list) => list.filter(({ trust }) => isAllowed(trust) === allowed)));
    return projectRank === undefined ? some : rankProjects(some, projectRank);
  });
  const different = joinEqual(order);
  return different.map((candidate, index) => {
    if (index > 0) {
      const ref = refOf(candidate.definition, different, index);
      return { ref, ...candidate, shadows: [], scopes: weakestFirst(placesOf(candidate)) };
    }
    const shadows = different.slice(1).map(({ definition }) => definition.origin);
    return { ref: name, ...candidate, shadows, scopes: weakestFirst(different.flatMap(placesOf)) };
  });
}

function placesOf({ definition }: Candidate): readonly Origin[] {
  return [definition.origin, ...definition.alsoIn];
}

/** Each agent's own order is kept; between agents the higher scope goes first, then the preferred agent. */
function interleave(lists: readonly Candidate[][]): readonly Candidate[] {
  const queues = lists.map((list) => ({ list, at: 0 }));
  const order: Candidate[] = [];
  for (;;) {
    let best: { readonly queue: { at: number }; readonly candidate: Candidate } | undefined;
    for (const queue of queues) {
      const candidate = queue.list[queue.at];
      if (
        candidate !== undefined &&
        (best === undefined || scopeRank(candidate) < scopeRank(best.candidate))
      ) {
        best = { queue, candidate };
      }
    }
    if (best === undefined) return order;
    order.push(best.candidate);
    best.queue.at += 1;
  }
}

/** Candidates of the project trade places with each other within a scope; the places of all others stay. */
function rankProjects(order: readonly Candidate[], rankOf: RankOfAgent): readonly Candidate[] {
  const queues = new Map<Scope, Candidate[]>();
  const ownOf = (scope: Scope): Candidate[] =>
    order
      .filter(({ definition: { guarded, origin } }) => guarded && origin.scope === scope)
      .toSorted(
        (left, right) => rankOf(left.definition.origin.agent) - rankOf(right.definition.origin.agent),
      );
  return order.map((candidate) => {
    const { guarded, origin } = candidate.definition;
    if (!guarded) return candidate;
    const queue = queues.get(origin.scope) ?? ownOf(origin.scope);
    queues.set(origin.scope, queue);
    return queue.shift() ?? candidate;
  });
}

function scopeRank({ definition }: Candidate): number {
  return scopes.indexOf(definition.origin.scope);
}

/** Candidates that say the same become one, with the places of the others in `alsoIn`. */
function joinEqual(order: readonly Candidate[]): readonly Candidate[] {
  const groups = new Map<string, Candidate>();
  for (const candidate of order) {
    const key = groupKey(candidate, groups);
    const shown = groups.get(key);
    if (shown === undefined) {
      groups.set(key, candidate);
      continue;
    }
    const alsoIn = [...shown.definition.alsoIn, candidate.definition.origin];
    groups.set(key, { ...shown, definition: { ...shown.definition, alsoIn } });
  }
  return [...groups.values()];
}

/**
 * What a project's fragment makes of the user's server may say the same and still do something else: be on where the
 * user's is off. Joined it would be out of sight, and nobody could approve it.
 */
function groupKey(candidate: Candidate, groups: ReadonlyMap<string, Candidate>): string {
  const key = contentKey(candidate.definition);
  const shown = groups.get(key);
  if (shown === undefined || !isWaitingMixture(candidate)) return key;
  const behaviour = behaviourOf(candidate.definition);
  return behaviour === behaviourOf(shown.definition) ? key : JSON.stringify([key, behaviour]);
}

function isWaitingMixture({ definition: { guarded, parts }, trust }: Candidate): boolean {
  return guarded && !isAllowed(trust) && parts.some(({ scope }) => scope !== 'project' && scope !== 'local');
}

/** What `contentKey` passes over. */
function behaviourOf({
  enabled,
  timeouts,
  tools,
  pinning,
  trustAnnotations,
  auth,
  startIn,
}: ServerDefinition): string {
  return JSON.stringify({ enabled, timeouts, tools, pinning, trustAnnotations, auth, startIn });
}

function weakestFirst(origins: readonly Origin[]): readonly string[] {
  return scopes.toReversed().filter((scope) => origins.some((origin) => origin.scope === scope));
}

function refOf(definition: ServerDefinition, all: readonly Candidate[], index: number): string {
  const { agent, scope } = definition.origin;
  const sameAgent = all.filter((other) => other.definition.origin.agent === agent);
  if (sameAgent.length === 1) return `${definition.name}@${agent}`;
  const earlier = all
    .slice(0, index)
    .filter(({ definition: { origin } }) => origin.agent === agent && origin.scope === scope).length;
  const ref = `${definition.name}@${agent}:${scope}`;
  return earlier === 0 ? ref : `${ref}#${earlier + 1}`;
}
