/**
 * Copies: every entry for a name, in whichever file and scope it is, with its own state. Each can be named by
 * `name@agent`, and `name@agent:scope` where that is not enough.
 */

import { readersOf } from '../agents/all-agents.ts';
import { applySharedSwitches, applySwitches, type SwitchList } from '../discovery/switches.ts';
import { agentIdOf, type AgentId } from '../kernel/agent-ids.ts';
import type { Origin, Scope, ServerDefinition, SwitchedOff } from '../kernel/servers.ts';
import { copyRefs, rankCandidates, type Candidate, type RankedServers } from './rank.ts';

export interface ServerCopy extends Candidate {
  readonly ref: string;
}

/** What switches a definition off, when something does. */
export function disabledBy({ enabled, offBy }: ServerDefinition): SwitchedOff | undefined {
  return enabled ? undefined : offBy?.at(-1);
}

/** The copies of a name, the one in force first. */
export function copiesOf({ candidates }: RankedServers, name: string): readonly ServerCopy[] {
  const own = candidates.filter(({ definition }) => definition.name === name);
  const names = new Set(candidates.map(({ definition }) => definition.name));
  const refs = copyRefs(own, (text) => names.has(text));
  return own.map((candidate, index) => ({ ...candidate, ref: refs[index] ?? name }));
}

/** The copies that a reference can mean: several where `name@agent` is not enough. */
export function copiesByRef(roster: RankedServers, wanted: string): readonly ServerCopy[] {
  // The name may hold an `@` of its own.
  const ends = [...wanted.matchAll(/@/g)].map(({ index }) => index).filter((index) => index > 0);
  return ends.flatMap((end) => copiesMeant(copiesOf(roster, wanted.slice(0, end)), wanted.slice(end + 1)));
}

/** `place` is what follows the name: `agent`, `agent:scope` or `agent:scope#2`. */
function copiesMeant(copies: readonly ServerCopy[], place: string): readonly ServerCopy[] {
  const [, word = '', scope, number] = /^([^:#]+)(?::([^#]+))?(?:#(\d+))?$/.exec(place) ?? [];
  const agent = agentIdOf(word);
  if (agent === undefined) return [];
  const inScope = copiesIn(copies, { agent }).filter(
    ({ definition }) => scope === undefined || definition.origin.scope === scope.toLowerCase(),
  );
  if (number !== undefined) return inScope.slice(Number(number) - 1, Number(number));
  // `name@agent:scope` is the first of several; it is what they are listed under.
  return scope === undefined ? inScope : inScope.slice(0, 1);
}

/** An agent's own copies; where it has none, those in a shared file that it reads. */
export function copiesIn(copies: readonly ServerCopy[], { agent, scope }: CopyFilter): readonly ServerCopy[] {
  const inScope = copies.filter(
    ({ definition: { origin } }) => scope === undefined || origin.scope === scope,
  );
  if (agent === undefined) return inScope;
  const own = inScope.filter(({ definition: { origin } }) => origin.agent === agent);
  if (own.length > 0 || !readersOf('mcp-json').includes(agent)) return own;
  return inScope.filter(({ definition: { origin } }) => origin.agent === 'mcp-json');
}

/** Agents that read one file find the same entry there: it is changed once, for all of them. */
export function isSameEntry(one: ServerCopy, other: ServerCopy): boolean {
  const [{ file, line, column }, place] = [one.definition.origin, other.definition.origin];
  return file === place.file && line === place.line && column === place.column;
}

export interface CopyFilter {
  readonly agent?: AgentId | undefined;
  readonly scope?: Scope | undefined;
}

/** What is configured, with the lists by which agents switch servers. */
export interface SwitchableServers extends RankedServers {
  readonly switches: readonly SwitchList[];
}

/** What belongs to one agent or scope, ranked by itself: the state is that of the copies that are left. */
export function onlyCopies(roster: SwitchableServers, filter: CopyFilter): RankedServers {
  const ranked = rankOnly(roster, filter);
  // Under what names they can be asked for depends on the copies that were left out, too.
  const shadowed = ranked.shadowed.map((entry) => {
    const { name, origin } = entry.definition;
    const copy = copiesOf(roster, name).find(({ definition }) => isSamePlace(definition.origin, origin));
    return copy === undefined ? entry : { ...entry, ref: copy.ref };
  });
  return { ...ranked, shadowed };
}

/** Whether two entries for a name are one and the same. */
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

/** A server of a shared file in the state that one of its readers has it in, by the reader's own lists. */
export function asSeenBy(definition: ServerDefinition, lists: readonly SwitchList[]): ServerDefinition {
  const { offBy = [], ...rest } = definition;
  const left = offBy.filter(({ kind }) => kind !== 'switch');
  const own = { ...rest, enabled: definition.enabled || left.length === 0, offBy: left };
  const [seen = own] = applySwitches([own], lists);
  return applySharedSwitches(seen, lists);
}
