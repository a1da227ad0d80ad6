/**
 * Finds a server by what a person typed, and lists its copies: every entry for its name, in any file and scope,
 * each with its own state. A copy is referred to as `name@agent`, or as `name@agent:scope` where that is ambiguous.
 */

import { readersOf } from '../agents/all-agents.ts';
import { applySharedSwitches, applySwitches, type SwitchList } from '../discovery/switches.ts';
import { agentIdOf, type AgentId } from '../kernel/agent-ids.ts';
import { HoltError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';
import type { Origin, Scope, ServerDefinition, SwitchedOff } from '../kernel/servers.ts';
import { copyRefs, rankCandidates, type Candidate, type RankedServers, type RosterEntry } from './rank.ts';

export interface ServerCopy extends Candidate {
  readonly ref: string;
}

/** Returns what switches a definition off; undefined when it is enabled. */
export function disabledBy({ enabled, offBy }: ServerDefinition): SwitchedOff | undefined {
  return enabled ? undefined : offBy?.at(-1);
}

/** Returns the copies of a name, the active one first. */
export function copiesOf({ candidates }: RankedServers, name: string): readonly ServerCopy[] {
  const own = candidates.filter(({ definition }) => definition.name === name);
  const names = new Set(candidates.map(({ definition }) => definition.name));
  const refs = copyRefs(own, (text) => names.has(text));
  return own.map((candidate, index) => ({ ...candidate, ref: refs[index] ?? name }));
}

/** Returns the copies that a reference can mean: several where `name@agent` is ambiguous. */
export function copiesByRef(roster: RankedServers, wanted: string): readonly ServerCopy[] {
  // The name itself may contain an `@`.
  const ends = [...wanted.matchAll(/@/g)].map(({ index }) => index).filter((index) => index > 0);
  return ends.flatMap((end) => copiesMeant(copiesOf(roster, wanted.slice(0, end)), wanted.slice(end + 1)));
}

/** `place` is the part after the name: `agent`, `agent:scope` or `agent:scope#2`. */
function copiesMeant(copies: readonly ServerCopy[], place: string): readonly ServerCopy[] {
  const [, word = '', scope, number] = /^([^:#]+)(?::([^#]+))?(?:#(\d+))?$/.exec(place) ?? [];
  const agent = agentIdOf(word);
  if (agent === undefined) return [];
  const inScope = copiesIn(copies, { agent }).filter(
    ({ definition }) => scope === undefined || definition.origin.scope === scope.toLowerCase(),
  );
  if (number !== undefined) return inScope.slice(Number(number) - 1, Number(number));
  // `name@agent:scope` is the reference of the first copy in that scope.
  return scope === undefined ? inScope : inScope.slice(0, 1);
}

/** Returns an agent's own copies or, if it has none, those in a shared file that it reads. */
export function copiesIn(copies: readonly ServerCopy[], { agent, scope }: CopyFilter): readonly ServerCopy[] {
  const inScope = copies.filter(
    ({ definition: { origin } }) => scope === undefined || origin.scope === scope,
  );
  if (agent === undefined) return inScope;
  const own = inScope.filter(({ definition: { origin } }) => origin.agent === agent);
  if (own.length > 0 || !readersOf('mcp-json').includes(agent)) return own;
  return inScope.filter(({ definition: { origin } }) => origin.agent === 'mcp-json');
}

/**
 * True for copies at the same place in the same file. Several agents may read one entry, which is changed
 * once for all of them.
 */
export function isSameEntry(one: ServerCopy, other: ServerCopy): boolean {
  const [{ file, line, column }, place] = [one.definition.origin, other.definition.origin];
  return file === place.file && line === place.line && column === place.column;
}

export interface CopyFilter {
  readonly agent?: AgentId | undefined;
  readonly scope?: Scope | undefined;
}

/** The configured servers, with the lists by which agents switch them on or off. */
export interface SwitchableServers extends RankedServers {
  readonly switches: readonly SwitchList[];
}

/** Ranks only the copies of one agent or scope, so that the result has the state of these copies. */
export function onlyCopies(roster: SwitchableServers, filter: CopyFilter): RankedServers {
  const ranked = rankOnly(roster, filter);
  // The reference of a copy also depends on the copies that were filtered out.
  const shadowed = ranked.shadowed.map((entry) => {
    const { name, origin } = entry.definition;
    const copy = copiesOf(roster, name).find(({ definition }) => isSamePlace(definition.origin, origin));
    return copy === undefined ? entry : { ...entry, ref: copy.ref };
  });
  return { ...ranked, shadowed };
}

/** True when both origins are the same entry. */
export function isSamePlace(left: Origin, right: Origin): boolean {
  return (['agent', 'scope', 'file', 'line', 'column'] as const).every(
    (field) => left[field] === right[field],
  );
}

function rankOnly({ candidates, switches }: SwitchableServers, { agent, scope }: CopyFilter): RankedServers {
  const inScope =
    scope === undefined
      ? candidates
      : candidates.filter(({ definition }) => definition.origin.scope === scope);
  if (agent === undefined) return rankCandidates([inScope]);
  const own = inScope.filter(({ definition }) => definition.origin.agent === agent);
  if (!readersOf('mcp-json').includes(agent)) return rankCandidates([own]);
  const lists = switches.filter((list) => list.agent === agent);
  const shared = inScope
    .filter(({ definition }) => definition.origin.agent === 'mcp-json')
    .map((candidate) => ({ ...candidate, definition: asSeenBy(candidate.definition, lists) }));
  return rankCandidates([own, shared]);
}

/**
 * Returns a server of a shared file in the state that one of its readers has it in, by the reader's own
 * lists.
 */
export function asSeenBy(definition: ServerDefinition, lists: readonly SwitchList[]): ServerDefinition {
  const { offBy = [], ...rest } = definition;
  const left = offBy.filter(({ kind }) => kind !== 'switch');
  const own = { ...rest, enabled: definition.enabled || left.length === 0, offBy: left };
  const [seen = own] = applySwitches([own], lists);
  return applySharedSwitches(seen, lists);
}

/** Throws `server-not-found` or `server-ambiguous`. */
export function findServer(roster: RankedServers, wanted: string): RosterEntry {
  const { servers, shadowed } = roster;
  const literal = servers.find(({ ref }) => ref === wanted) ?? shadowed.find(({ ref }) => ref === wanted);
  if (literal !== undefined) return literal;
  const [match, ...others] = copiesByRef(roster, wanted);
  if (match === undefined) throw serverNotFound(wanted, roster);
  if (others.length > 0)
    throw ambiguous(
      wanted,
      [match, ...others].map(({ ref }) => ref),
    );
  const { ref, definition, trust } = match;
  const winner = servers.find(
    (entry) =>
      entry.definition.name === definition.name && isSamePlace(entry.definition.origin, definition.origin),
  );
  return winner ?? { ref, definition, trust, shadows: [], scopes: [definition.origin.scope] };
}

export function ambiguous(wanted: string, refs: readonly string[]): HoltError<'server-ambiguous'> {
  return new HoltError(
    'server-ambiguous',
    `"${wanted}" can mean ${refs.join(' or ')}`,
    { server: wanted, matches: refs },
    { remedy: 'Name the scope as well.' },
  );
}

export function serverNotFound(wanted: string, roster: RankedServers): HoltError {
  const known = [...roster.servers, ...roster.shadowed].map(({ ref }) => ref);
  const near = nearest(wanted, known);
  const remedy =
    copiesRemedy(wanted, roster) ??
    (near === undefined ? 'Run holt list to see all servers.' : `Did you mean "${near}"?`);
  return new HoltError(
    'server-not-found',
    `Unknown server "${wanted}"`,
    { server: wanted, known },
    { remedy },
  );
}

/** Names the copies of a server that exists, but not in the requested place. */
function copiesRemedy(wanted: string, roster: RankedServers): string | undefined {
  const name = wanted.slice(0, Math.max(0, wanted.lastIndexOf('@')));
  const refs = copiesOf(roster, name).map(({ ref }) => ref);
  return refs.length === 0 ? undefined : `"${name}" has ${refs.join(', ')}.`;
}
