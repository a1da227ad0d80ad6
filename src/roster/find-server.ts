/** From what a person typed to one server: by name, else by `name@agent` or `name@agent:scope`. */

import { HoltError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';
import type { RankedServers, RosterEntry } from './rank.ts';

export function findServer({ servers, shadowed }: RankedServers, wanted: string): RosterEntry {
  const literal = servers.find(({ ref }) => ref === wanted) ?? shadowed.find(({ ref }) => ref === wanted);
  if (literal !== undefined) return literal;
  const matches = [...servers, ...shadowed].filter((entry) => isMeant(entry, wanted));
  const [match, ...others] = matches;
  if (match === undefined) throw notFound(wanted, servers, shadowed);
  if (others.length === 0) return match;
  const refs = matches.map(
    ({ definition }) => `${definition.name}@${definition.origin.agent}:${definition.origin.scope}`,
  );
  throw new HoltError(
    'server-ambiguous',
    `"${wanted}" can mean ${refs.join(' or ')}`,
    { server: wanted, matches: refs },
    {
      remedy: 'Name the scope as well.',
    },
  );
}

function isMeant({ definition: { name, origin } }: RosterEntry, wanted: string): boolean {
  return wanted === `${name}@${origin.agent}` || wanted === `${name}@${origin.agent}:${origin.scope}`;
}

function notFound(
  wanted: string,
  servers: readonly RosterEntry[],
  shadowed: readonly RosterEntry[],
): HoltError {
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
