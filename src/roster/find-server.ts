/** Resolves what a person typed to one server: by name, otherwise by `name@agent` or `name@agent:scope`. */

import { HoltError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';
import { copiesByRef, copiesOf, isSamePlace } from './copies.ts';
import type { RankedServers, RosterEntry } from './rank.ts';

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
  const winner = servers.find((entry) => isSame(entry, match));
  return winner ?? { ref, definition, trust, shadows: [], scopes: [definition.origin.scope] };
}

function isSame({ definition }: RosterEntry, copy: Pick<RosterEntry, 'definition'>): boolean {
  return definition.name === copy.definition.name && isSamePlace(definition.origin, copy.definition.origin);
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

export function serverNotFound(wanted: string, roster: RankedServers): HoltError {
  const known = [...roster.servers, ...roster.shadowed].map(({ ref }) => ref);
  const near = nearest(wanted, known);
  const remedy =
    copiesRemedy(wanted, roster) ??
    (near === undefined ? 'holt list shows the servers there are.' : `Did you mean "${near}"?`);
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
