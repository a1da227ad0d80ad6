/**
 * The two-way table between a server's tool and the public name that models use. Names are looked up in it
 * and never parsed. A name that was published refers to the same tool for the lifetime of the table. Until
 * then, a name that two tools claim belongs to neither, so that their order does not matter.
 */

import type { NamingProfile } from '../settings/settings.ts';
import { mayBeOf, type PlainList, PlainLists, type ToolList } from './names/candidates.ts';
import { Claims, type Holder, type NameClash, type ToolPair } from './names/claims.ts';

export { plainName } from './names/candidates.ts';
export type { ToolList, ToolPair };

/** A live view of the public names of one list's tools. */
export interface NamedList {
  /** One name for each tool, in the order of the list. */
  names(): readonly (string | undefined)[];
}

export interface NameTable {
  /**
   * Registers the tools that exist now. `clashes` are the names that several pairs claim, unless reported
   * before.
   */
  update(lists: readonly ToolList[]): {
    readonly clashes: readonly NameClash[];
    /** One for each list, in the same order. */
    readonly named: readonly NamedList[];
    /** Servers with a tool whose name was published and has changed. */
    readonly renamed: ReadonlySet<string>;
  };
  /** Returns the tool's name, and marks it as published. */
  nameOf(pair: ToolPair): string | undefined;
  pairOf(name: string): ToolPair | undefined;
  /** Marks all current names as published. */
  publishAll(): void;
  /** Marks this name as published. */
  publish(name: string): void;
  isPublished(name: string): boolean;
  /** Returns all tools that ever claimed this name, whether or not one of them has it. */
  claimantsOf(name: string): readonly ToolPair[];
  /** Whether this may be the name of a tool of this server that is not known yet. */
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
  /** Names that were published and that their tools have since lost. */
  const former = new Map<string, ToolPair>();
  let renamed = new Set<string>();
  /** Incremented whenever all names are published. */
  let turn = 0;
  let isPlain = true;
  const onLost = (holder: Holder, name: string): void => {
    // A name that was gained and lost within one turn was never published.
    if (holder.since !== turn) {
      former.set(name, holder.pair);
      renamed.add(holder.pair.server);
    }
    holder.since = turn;
  };
  // `map` instead of `for…of`, which allocates an object per iteration until it is optimised: a start names
  // thousands of tools.
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
    nameOf: (pair) => publish(all().find(pair))?.name,
    pairOf: (name) => all().holderOf(name)?.pair ?? former.get(name),
    publishAll: () => {
      turn += 1;
    },
    publish: (name) => void publish(all().holderOf(name)),
    isPublished: (name) => {
      const holder = all().holderOf(name);
      return holder === undefined ? former.has(name) : holder.since !== turn;
    },
    claimantsOf: (name) => all().claimantsOf(name),
    mayBeOf: (name, server) => mayBeOf(naming, server, name),
  };
}

function publish(holder: Holder | undefined): Holder | undefined {
  if (holder !== undefined) holder.since = beforeAllTurns;
  return holder;
}

function nameIn({ name }: Holder): string | undefined {
  return name;
}

function plainNames({ head, tools }: PlainList): readonly string[] {
  return tools.map((tool) => head + tool);
}
