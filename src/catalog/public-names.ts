/**
 * The two-way table between a server's tool and the public name models call it by. Names are looked up in it and never
 * taken apart, and a name that was given out once means the same pair until the end. Until somebody was given it, a name
 * that two pairs want is nobody's: it must not matter which of them was there first.
 */

import type { NamingProfile } from '../settings/settings.ts';
import { mayBeOf } from './names/candidates.ts';
import { Claims, type Holder, type NameClash, type ToolPair } from './names/claims.ts';
import { PlainLists, type PlainList, type ToolList } from './names/plain-lists.ts';

export { plainName } from './names/profiles.ts';
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
    /** Servers with a tool that is no longer called as somebody was told. */
    readonly renamed: ReadonlySet<string>;
  };
  /** Whoever asks is given the name. */
  nameOf(pair: ToolPair): string | undefined;
  pairOf(name: string): ToolPair | undefined;
  /** Somebody is given all names as they are. */
  giveAll(): void;
  /** Somebody is given just this one. */
  give(name: string): void;
  isGiven(name: string): boolean;
  /** All who ever wanted this name, whether or not one of them has it. */
  wantedBy(name: string): readonly ToolPair[];
  /** Whether it may be the name of a tool of this server that nobody knows yet. */
  mayBeOf(name: string, server: string): boolean;
}

const beforeAllTurns = -1;

export function createNameTable(naming: {
  readonly profile: NamingProfile;
  readonly maxLength: number;
}): NameTable {
  const claims = new Claims(naming);
  const plain = new PlainLists(naming);
  const claimed = new WeakMap<PlainList, readonly Holder[]>();
  /** Names that were given out and are no longer shown. */
  const former = new Map<string, ToolPair>();
  let renamed = new Set<string>();
  /** Begins anew whenever all names are given out. */
  let turn = 0;
  let isPlain = true;
  const onLost = (holder: Holder, name: string): void => {
    // What came and went in between nobody has seen.
    if (holder.since !== turn) {
      former.set(name, holder.pair);
      renamed.add(holder.pair.server);
    }
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
  const all = (): Claims => {
    claimAll();
    return claims;
  };
  return {
    update: (lists) => {
      renamed = new Set();
      const named = lists.map(nameList);
      return { clashes: claims.takeClashes(), named, renamed };
    },
    nameOf: (pair) => give(all().find(pair))?.name,
    pairOf: (name) => all().holderOf(name)?.pair ?? former.get(name),
    giveAll: () => {
      turn += 1;
    },
    give: (name) => void give(all().holderOf(name)),
    isGiven: (name) => {
      const holder = all().holderOf(name);
      return holder === undefined ? former.has(name) : holder.since !== turn;
    },
    wantedBy: (name) => all().wantedBy(name),
    mayBeOf: (name, server) => mayBeOf(naming, server, name),
  };
}

function give(holder: Holder | undefined): Holder | undefined {
  if (holder !== undefined) holder.since = beforeAllTurns;
  return holder;
}

function nameIn({ name }: Holder): string | undefined {
  return name;
}

function plainNames({ head, tools }: PlainList): readonly string[] {
  return tools.map((tool) => head + tool);
}
