/** The entries of a project that need approval, and how the user names them. Pure. */

import { HoltError } from '../../kernel/errors.ts';
import { nearest } from '../../kernel/nearest.ts';
import type { ServerDefinition } from '../../kernel/servers.ts';
import type { Roster } from '../../roster/load-roster.ts';
import type { TrustState } from '../../trust/trust-state.ts';
import type { CommandInput } from '../command.ts';

export interface Candidate {
  readonly definition: ServerDefinition;
  readonly trust: TrustState;
}

export function guardedEntries(roster: Roster): readonly Candidate[] {
  return roster.candidates.filter(({ definition, trust: state }) => definition.guarded && state !== 'open');
}

/** Identifies an entry without its line, which may change while the user reads. */
function identityOf({ name, origin }: ServerDefinition): string {
  return JSON.stringify([name, origin.agent, origin.scope, origin.file]);
}

/** Finds the same entries in a newer list. */
export function findAgain(chosen: readonly Candidate[], now: readonly Candidate[]): readonly Candidate[] {
  const identities = new Set(chosen.map(({ definition }) => identityOf(definition)));
  return now.filter(({ definition }) => identities.has(identityOf(definition)));
}

/** Selects entries by name, `name@agent` or `name@agent:scope`. Without names, all that need a decision. */
export function selectAsked(
  candidates: readonly Candidate[],
  { positionals }: CommandInput,
): readonly Candidate[] {
  if (positionals.length === 0)
    return candidates.filter(({ trust: state }) => state === 'untrusted' || state === 'changed');
  return positionals.flatMap((wanted) => {
    const found = candidates.filter(({ definition }) => isCalled(definition.name, definition.origin, wanted));
    if (found.length === 0) throw unknownEntry(wanted, candidates);
    return found;
  });
}

export function unknownEntry(
  wanted: string,
  candidates: readonly Candidate[],
): HoltError<'server-not-found'> {
  const known = [...new Set(candidates.map(({ definition }) => definition.name))];
  const near = nearest(wanted, known);
  const there = known.length === 0 ? 'There is nothing to approve here.' : `There are: ${known.join(', ')}.`;
  return new HoltError(
    'server-not-found',
    `No project entry is called "${wanted}"`,
    { server: wanted, known },
    {
      remedy: near === undefined ? there : `Did you mean "${near}"?`,
    },
  );
}

export function isCalled(
  name: string,
  { agent, scope }: { readonly agent: string; readonly scope?: string },
  wanted: string,
): boolean {
  return wanted === name || wanted === `${name}@${agent}` || wanted === `${name}@${agent}:${scope ?? ''}`;
}
