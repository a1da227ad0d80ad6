/**
 * Decides which definition owns a name, and which ones it shadows. A pure function of definitions and
 * approvals: the order in which files were read does not matter.
 */

import type { AgentServers } from '../discovery/discover.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import {
  scopes,
  type CopyOrigin,
  type Origin,
  type Scope,
  type ServerDefinition,
} from '../kernel/servers.ts';
import { isAllowed, type Approvals, type TrustState } from '../trust/trust-state.ts';
import { contentKey } from './same-server.ts';

export interface RosterEntry {
  /**
   * How to refer to it: the name for a winner, `name@agent` or `name@agent:scope` for a shadowed definition.
   */
  readonly ref: string;
  readonly definition: ServerDefinition;
  readonly trust: TrustState;
  readonly shadows: readonly CopyOrigin[];
  /** The scopes that define this name, weakest first. */
  readonly scopes: readonly string[];
}

export interface RankedServers {
  readonly servers: readonly RosterEntry[];
  readonly shadowed: readonly RosterEntry[];
  /** Every definition that was read, before equal ones are joined; the winner of each name comes first. */
  readonly candidates: readonly Candidate[];
}

/** The position of an agent in an order of preference. */
export type RankOfAgent = (agent: AgentId) => number;

/**
 * Ranks the servers. `agents` is in order of preference, each with its own definitions best first.
 * `projectRank` only reorders the project's definitions among themselves.
 */
export function rankServers(
  agents: readonly AgentServers[],
  approvals: Approvals,
  projectRank?: RankOfAgent,
): RankedServers {
  const judged = agents.map(({ definitions }) =>
    definitions.map((definition) => ({ definition, trust: approvals.stateOf(definition) })),
  );
  return rankCandidates(judged, projectRank);
}

/** Ranks candidates. Each array holds those of one agent. */
export function rankCandidates(
  agents: readonly (readonly Candidate[])[],
  projectRank?: RankOfAgent,
): RankedServers {
  const names = new Map<string, Candidate[][]>();
  for (const judged of agents) {
    for (const [name, own] of groupByName(judged)) names.set(name, [...(names.get(name) ?? []), own]);
  }
  const [servers, shadowed, candidates]: [RosterEntry[], RosterEntry[], Candidate[]] = [[], [], []];
  const isName = (text: string): boolean => names.has(text);
  for (const [name, lists] of [...names].toSorted(([left], [right]) => (left < right ? -1 : 1))) {
    const order = orderOf(lists, projectRank);
    const ranked = rankName(name, order, isName);
    servers.push(...ranked.slice(0, 1));
    shadowed.push(...ranked.slice(1));
    candidates.push(...order);
  }
  return { servers, shadowed, candidates };
}

export interface Candidate {
  readonly definition: ServerDefinition;
  readonly trust: TrustState;
}

function groupByName(candidates: readonly Candidate[]): Map<string, Candidate[]> {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const { name } = candidate.definition;
    groups.set(name, [...(groups.get(name) ?? []), candidate]);
  }
  return groups;
}

/**
 * The winner comes first. Allowed candidates precede all others, so an unapproved project entry cannot take a
 * name.
 */
function orderOf(lists: readonly Candidate[][], projectRank: RankOfAgent | undefined): readonly Candidate[] {
  const [first = []] = lists;
  if (lists.length === 1 && first.length === 1) return first;
  return [true, false].flatMap((allowed) => {
    const some = interleave(lists.map((list) => list.filter(({ trust }) => isAllowed(trust) === allowed)));
    return projectRank === undefined ? some : rankProjects(some, projectRank);
  });
}

function rankName(name: string, order: readonly Candidate[], isName: IsName): readonly RosterEntry[] {
  const [only] = order;
  if (only !== undefined && order.length === 1)
    return [{ ref: name, shadows: [], scopes: weakestFirst(placesOf(only)), ...only }];
  const joined = joinEqual(order);
  return joined.map(({ candidate, at }, index) => {
    if (index > 0) {
      const ref = copyRef(order, candidate, at, isName);
      return { ref, ...candidate, shadows: [], scopes: weakestFirst(placesOf(candidate)) };
    }
    const shadows = joined.slice(1).map((other) => copyOf(other.candidate));
    const scopesOfAll = joined.flatMap((other) => placesOf(other.candidate));
    return { ref: name, ...candidate, shadows, scopes: weakestFirst(scopesOfAll) };
  });
}

function copyOf({ definition: { origin, enabled } }: Candidate): CopyOrigin {
  return { ...origin, enabled };
}

function placesOf({ definition }: Candidate): readonly Origin[] {
  return [definition.origin, ...definition.alsoIn];
}

/**
 * Preserves each agent's own order. Between agents, the higher scope goes first, then the preferred agent.
 */
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

/** Swaps the project's candidates among themselves within a scope; all other candidates stay in place. */
function rankProjects(order: readonly Candidate[], rankOf: RankOfAgent): readonly Candidate[] {
  const queues = new Map<Scope, Candidate[]>();
  const ownOf = (scope: Scope): Candidate[] =>
    order
      .filter(({ definition: { guarded, origin } }) => guarded && origin.scope === scope)
      .toSorted(
        (left, right) => rankOf(left.definition.origin.agent) - rankOf(right.definition.origin.agent),
      );
  return order.flatMap((candidate) => {
    const { guarded, origin } = candidate.definition;
    if (!guarded) return [candidate];
    const queue = queues.get(origin.scope) ?? ownOf(origin.scope);
    queues.set(origin.scope, queue);
    return queue.splice(0, 1);
  });
}

function scopeRank({ definition }: Candidate): number {
  return scopes.indexOf(definition.origin.scope);
}

interface Joined {
  readonly candidate: Candidate;
  /** Its index among all candidates. */
  readonly at: number;
}

/** Joins candidates with equal content into one, with the origins and states of the others in `alsoIn`. */
function joinEqual(order: readonly Candidate[]): readonly Joined[] {
  const groups = new Map<string, Joined>();
  for (const [at, candidate] of order.entries()) {
    const key = groupKey(candidate, groups);
    const shown = groups.get(key);
    if (shown === undefined) {
      groups.set(key, { candidate, at });
      continue;
    }
    const { definition } = shown.candidate;
    const alsoIn = [...definition.alsoIn, copyOf(candidate)];
    groups.set(key, { ...shown, candidate: { ...shown.candidate, definition: { ...definition, alsoIn } } });
  }
  return [...groups.values()];
}

/**
 * A project's fragment merged into the user's server may have equal content and still behave differently, for
 * example be on where the user's is off. Joining them would hide it, and the user could not approve it.
 */
function groupKey(candidate: Candidate, groups: ReadonlyMap<string, Joined>): string {
  const key = contentKey(candidate.definition);
  const shown = groups.get(key)?.candidate;
  if (shown === undefined || !isUnapprovedFragment(candidate)) return key;
  const behaviour = behaviourOf(candidate.definition);
  return behaviour === behaviourOf(shown.definition) ? key : JSON.stringify([key, behaviour]);
}

function isUnapprovedFragment({ definition: { guarded, parts }, trust }: Candidate): boolean {
  return guarded && !isAllowed(trust) && parts.some(({ scope }) => scope !== 'project' && scope !== 'local');
}

/** The fields that `contentKey` ignores. */
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

type IsName = (text: string) => boolean;

/** Returns one reference for each copy of a name, in order. */
export function copyRefs(copies: readonly Candidate[], isName: IsName): readonly string[] {
  return copies.map((copy, at) => copyRef(copies, copy, at, isName));
}

/**
 * Returns the reference of one copy of a name: `name@agent`, with the scope and a number where that is
 * ambiguous. Avoids references that equal another server's name, because a name takes precedence.
 */
function copyRef(copies: readonly Candidate[], copy: Candidate, at: number, isName: IsName): string {
  const { name, origin } = copy.definition;
  const { agent, scope } = origin;
  const sameAgent = copies.filter((other) => other.definition.origin.agent === agent);
  const isSamePlace = (other: Candidate): boolean =>
    other.definition.origin.agent === agent && other.definition.origin.scope === scope;
  const earlier = copies.slice(0, at).filter(isSamePlace).length;
  const [short, long] = [`${name}@${agent}`, `${name}@${agent}:${scope}`];

  const preferred = [...(sameAgent.length === 1 ? [short] : []), ...(earlier === 0 ? [long] : [])];
  return preferred.find((ref) => !isName(ref)) ?? `${long}#${earlier + 1}`;
}
