/**
 * The two-way table between a server's tool and the public name models call it by. Names are looked up in it and never
 * taken apart, and a name that was given out once means the same pair until the end.
 */

import type { NamingProfile } from '../settings/settings.ts';
import { Claims, type Holder, type NameClash, type ToolPair } from './names/claims.ts';

export type { ToolPair };

/** Whoever holds on to it knows the name of its pair as it is at any time. */
export type NameHolder = Readonly<Pick<Holder, 'name'>>;

export interface NameTable {
  /** Pairs that are there now. Gives the names that more than one pair wants, as far as that is new. */
  update(pairs: readonly ToolPair[]): {
    readonly clashes: readonly NameClash[];
    /** One for each pair, in their order. */
    readonly holders: readonly NameHolder[];
  };
  nameOf(pair: ToolPair): string | undefined;
  pairOf(name: string): ToolPair | undefined;
}

export function createNameTable(naming: {
  readonly profile: NamingProfile;
  readonly maxLength: number;
}): NameTable {
  const claims = new Claims(naming);
  /** Names that were given out and are no longer shown. */
  const former = new Map<string, ToolPair>();
  let turn = 0;
  return {
    update: (pairs) => {
      // A name is given out when all have arrived; what came and went in between nobody has seen.
      turn += 1;
      const onLost = (holder: Holder, name: string): void => {
        if (holder.since !== turn) former.set(name, holder.pair);
        holder.since = turn;
      };
      // No loops `for of` where thousands come by at a start: before it is optimised, each turn costs an object.
      const holders = pairs.map((pair) => claims.add(pair, turn, onLost));
      return { clashes: claims.takeClashes(), holders };
    },
    nameOf: (pair) => claims.find(pair)?.name,
    pairOf: (name) => claims.holderOf(name)?.pair ?? former.get(name),
  };
}
