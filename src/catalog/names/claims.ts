/**
 * Who may be called what. A name that two pairs could have belongs to neither: each moves on to its next one. What is
 * claimed stays claimed, so the outcome depends on who was there and never on the order they came in.
 */

import { candidate, isSimple, simpleHead, type Naming } from './candidates.ts';
import { reservedNames } from './reserved-names.ts';

export interface ToolPair {
  readonly server: string;
  readonly tool: string;
}

export interface Holder {
  readonly pair: ToolPair;
  name: string | undefined;
  level: number;
  /** The turn in which it came, or lost a name. */
  since: number;
}

export interface NameClash {
  readonly name: string;
  readonly pairs: readonly ToolPair[];
}

type OnLost = (holder: Holder, name: string) => void;

/** Nobody holds what is reserved. */
interface Claim {
  readonly holder: Holder | undefined;
  readonly level: number;
}

/** One who wants it, or several. Nearly all names are wanted by one: those need no list. */
type Wanted = Claim | Claim[];

export class Claims {
  readonly #naming: Naming;
  readonly #wanted = new Map<string, Wanted>(
    reservedNames.map((name) => [name, { holder: undefined, level: 0 }]),
  );
  readonly #heads = new Map<string, string | undefined>();
  #news = new Map<string, readonly Claim[]>();

  constructor(naming: Naming) {
    this.#naming = naming;
  }

  /** Gives the newcomer, and tells of names that somebody loses by it. */
  add(pair: ToolPair, turn: number, onLost: OnLost): Holder {
    const holder: Holder = { pair, name: undefined, level: 0, since: turn };
    if (!this.#claimFreely(holder)) this.#claimAll(holder, onLost);
    return holder;
  }

  /** Whose name it is now. */
  holderOf(name: string): Holder | undefined {
    const found = this.#wanted.get(name.toLowerCase());
    if (found === undefined || Array.isArray(found)) return undefined;
    return found.holder?.name === name ? found.holder : undefined;
  }

  /** What more than one wanted since this was last asked. */
  takeClashes(): readonly NameClash[] {
    const clashes = [...this.#news].map(([key, claims]) => describe(this.#naming, key, claims));
    this.#news = new Map();
    const bySubject = new Map(clashes.map((clash) => [JSON.stringify(clash.pairs), clash]));
    return [...bySubject.values()].toSorted((left, right) => compare(left.name, right.name));
  }

  /** A simple name that nobody else ever wanted is most of what there is: it takes a short way. */
  #claimFreely(holder: Holder): boolean {
    const { server, tool } = holder.pair;
    const head = this.#headOf(server);
    if (head === undefined || !isSimple(tool)) return false;
    const name = head + tool;
    const key = name.toLowerCase();
    if (name.length > this.#naming.maxLength || this.#wanted.has(key)) return false;
    this.#wanted.set(key, { holder, level: 0 });
    holder.name = name;
    return true;
  }

  #headOf(server: string): string | undefined {
    if (!this.#heads.has(server)) this.#heads.set(server, simpleHead(this.#naming.profile, server));
    return this.#heads.get(server);
  }

  #claimAll(first: Holder, onLost: OnLost): void {
    const waiting = [first];
    for (let holder = waiting.pop(); holder !== undefined; holder = waiting.pop()) {
      for (const loser of this.#claimNext(holder)) {
        if (loser.name !== undefined) onLost(loser, loser.name);
        loser.name = undefined;
        loser.level += 1;
        waiting.push(loser);
      }
    }
  }

  /** Gives those who can no longer be called what they are called. */
  #claimNext(holder: Holder): ReadonlySet<Holder> {
    const { level } = holder;
    const { name, keys } = candidate(this.#naming, holder.pair, level);
    holder.name = name;
    const losers = new Set<Holder>(name === undefined ? [holder] : []);
    for (const key of keys) {
      for (const claim of this.#want(key, { holder, level }))
        if (claim.holder?.level === claim.level) losers.add(claim.holder);
    }
    return losers;
  }

  #want(key: string, claim: Claim): readonly Claim[] {
    const found = this.#wanted.get(key);
    if (found === undefined) {
      this.#wanted.set(key, claim);
      return [];
    }
    if (Array.isArray(found)) {
      // Those who came before have lost it already.
      found.push(claim);
      this.#news.set(key, found);
      return [claim];
    }
    const both = [found, claim];
    this.#wanted.set(key, both);
    this.#news.set(key, both);
    return both;
  }
}

function describe(naming: Naming, key: string, claims: readonly Claim[]): NameClash {
  const pairs = claims.flatMap(({ holder }) => (holder === undefined ? [] : [holder.pair]));
  const names = claims.map(({ holder, level }) =>
    holder === undefined ? key : (candidate(naming, holder.pair, level).name ?? key),
  );
  const [name = key] = names.toSorted(compare);
  const sorted = pairs.toSorted(
    (left, right) => compare(left.server, right.server) || compare(left.tool, right.tool),
  );
  return { name, pairs: sorted };
}

function compare(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
