/**
 * The two-way table between a server's tool and the public name models call it by. Names are looked up in it and never
 * taken apart, and a name that was given out once means the same pair until the end.
 */

import type { NamingProfile } from '../settings/settings.ts';
import { Claims, type Holder, type NameClash, type ToolPair } from './names/claims.ts';
import { PlainLists, type PlainList, type ToolList } from './names/plain-lists.ts';

export type { ToolList, ToolPair };

/** Whoever holds on to it knows the names of its tools as they are at any time. */
export interface NamedList {
  /** One for each tool, in their order. */
  names(): readonly (string | undefined)[];
}

export interface NameTable {
  /** Tools that are there now. Gives the names that more than one pair wants, as far as that is new. */
  update(lists: readonly ToolList[]): {
    readonly clashes: readonly NameClash[];
    /** One for each list, in their order. */
    readonly named: readonly NamedList[];
  };
  nameOf(pair: ToolPair): string | undefined;
  pairOf(name: string): ToolPair | undefined;
}

export function createNameTable(naming: {
  readonly profile: NamingProfile;
  readonly maxLength: number;
}): NameTable {
  const claims = new Claims(naming);
  const plain = new PlainLists(naming);
  const claimed = new WeakMap<PlainList, readonly Holder[]>();
  /** Names that were given out and are no longer shown. */
  const former = new Map<string, ToolPair>();
  let turn = 0;
  let isPlain = true;
  const onLost = (holder: Holder, name: string): void => {
    // A name is given out when all have arrived; what came and went in between nobody has seen.
    if (holder.since !== turn) former.set(name, holder.pair);
    holder.since = turn;
  };
  // No loops `for of` where thousands come by at a start: before it is optimised, each turn costs an object.
  const claim = ({ server, tools }: ToolList, since: number): readonly Holder[] =>
    tools.map((tool) => claims.add({ server, tool }, since, onLost));
  const claimAll = (): void => {
    isPlain = false;
    for (const list of plain.takeAll()) claimed.set(list, claim(list, list.turn));
  };
  const nameList = (list: ToolList): NamedList => {
    const found = isPlain ? plain.add(list, turn) : undefined;
    if (found !== undefined) return { names: () => claimed.get(found)?.map(nameIn) ?? plainNames(found) };
    claimAll();
    const holders = claim(list, turn);
    return { names: () => holders.map(nameIn) };
  };
  return {
    update: (lists) => {
      turn += 1;
      const named = lists.map(nameList);
      return { clashes: claims.takeClashes(), named };
    },
    nameOf: (pair) => {
      claimAll();
      return claims.find(pair)?.name;
    },
    pairOf: (name) => {
      claimAll();
      return claims.holderOf(name)?.pair ?? former.get(name);
    },
  };
}

function nameIn({ name }: Holder): string | undefined {
  return name;
}

function plainNames({ head, tools }: PlainList): readonly string[] {
  return tools.map((tool) => head + tool);
}
