/** From what a person typed to one server: by name, else by `name@agent` or `name@agent:scope`. */

import { HoltError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';
import { copiesByRef } from './copies.ts';
import type { RankedServers, RosterEntry } from './rank.ts';

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
  const winner = servers.find((entry) => isSame(entry, match));
  return winner ?? { ref, definition, trust, shadows: [], scopes: [definition.origin.scope] };
}

function isSame({ definition }: RosterEntry, copy: Pick<RosterEntry, 'definition'>): boolean {
  const [own, other] = [definition.origin, copy.definition.origin];
  return (
    definition.name === copy.definition.name &&
    own.file === other.file &&
    own.line === other.line &&
    own.column === other.column &&
    own.scope === other.scope
  );
}

export function ambiguous(wanted: string, refs: readonly string[]): HoltError<'server-ambiguous'> {
  return new HoltError(
    'server-ambiguous',
    `"${wanted}" can mean ${refs.join(' or ')}`,
    { server: wanted, matches: refs },
    {
      remedy: 'Name the scope as well.',
    },
  );
}

export function serverNotFound(wanted: string, { servers, shadowed }: RankedServers): HoltError {
  const known = [...servers, ...shadowed].map(({ ref }) => ref);
  const near = nearest(wanted, known);
  const remedy = near === undefined ? 'holt list shows the servers there are.' : `Did you mean "${near}"?`;
  return new HoltError(
    'server-not-found',
    `There is no server called "${wanted}"`,
    { server: wanted, known },
    { remedy },
  );
}
