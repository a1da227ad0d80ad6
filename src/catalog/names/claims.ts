/**
 * Decides which tool gets which public name. When two pairs claim the same name, neither gets it, and each
 * moves on to its next candidate. Claims are never withdrawn, so the outcome depends on which tools were seen
 * and never on their order.
 */

import { candidate, isSimple, type Naming, reservedNames, simplePrefix } from './candidates.ts';

export interface ToolPair {
  readonly server: string;
  readonly tool: string;
}

export interface Holder {
  readonly pair: ToolPair;
  name: string | undefined;
  level: number;
  /** The turn in which the pair got its name. In every later turn the name has been published. */
  since: number;
}

export interface NameClash {
  readonly name: string;
  readonly pairs: readonly ToolPair[];
  /** Set when holt's own tool of this name is one of those that clash. */
  readonly reserved?: string;
}

type OnLost = (holder: Holder, name: string) => void;

/** A claim to a name. The holder is undefined for reserved names. */
interface Claim {
  readonly holder: Holder | undefined;
  readonly level: number;
}

/**
 * One or several claims to a name. A holder by itself means a single claim at level 0, as nearly all names
 * have.
 */
type ClaimSet = Holder | Claim | Claim[];

export class Claims {
  readonly #naming: Naming;
  readonly #claims = new Map<string, ClaimSet>(
    reservedNames.map((name) => [name, { holder: undefined, level: 0 }]),
  );
  readonly #prefixes = new Map<string, string | undefined>();
  /**
   * Holders by server and tool that cannot be found by their plain name: it is not simple, or another pair
   * claims it too.
   */
  readonly #others = new Map<string, Map<string, Holder>>();
  #newClashes = new Map<string, readonly Claim[]>();

  constructor(naming: Naming) {
    this.#naming = naming;
  }

  /**
   * Returns the pair's holder, which is created if needed. Calls `onLost` for each name that a pair loses
   * because of it.
   */
  add(pair: ToolPair, turn: number, onLost: OnLost): Holder {
    return this.#claimFreely(pair, turn) ?? this.#findOther(pair) ?? this.#addOther(pair, turn, onLost);
  }

  find(pair: ToolPair): Holder | undefined {
    const name = this.#simpleName(pair);
    const found = name === undefined ? undefined : this.#claims.get(name.toLowerCase());
    return soleHolder(found, pair) ?? this.#findOther(pair);
  }

  /** Returns the holder that currently has this name. */
  holderOf(name: string): Holder | undefined {
    const found = this.#claims.get(name.toLowerCase());
    const holder = found === undefined || Array.isArray(found) ? undefined : holderIn(found);
    return holder?.name === name ? holder : undefined;
  }

  /**
   * Returns all pairs that ever claimed this name, including those with a name that looks like it, sorted by
   * server and tool. Empty when no pair claimed exactly this name.
   */
  claimantsOf(name: string): readonly ToolPair[] {
    const found = this.#claims.get(name.toLowerCase());
    if (found === undefined) return [];
    const claims = Array.isArray(found) ? found : [claimOf(found)];
    const isMeant = claims.some(
      ({ holder, level }) =>
        holder !== undefined && candidate(this.#naming, holder.pair, level).name === name,
    );
    return isMeant ? pairsOf(claims) : [];
  }

  /** Returns the clashes that appeared or grew since the last call. */
  takeClashes(): readonly NameClash[] {
    const clashes = [...this.#newClashes].map(([key, claims]) => describe(this.#naming, key, claims));
    this.#newClashes = new Map();
    const bySubject = new Map(clashes.map((clash) => [JSON.stringify(clash.pairs), clash]));
    return [...bySubject.values()].toSorted((left, right) => compare(left.name, right.name));
  }

  /** Fast path for most tools: a simple name that no other pair ever claimed. */
  #claimFreely(pair: ToolPair, turn: number): Holder | undefined {
    const name = this.#simpleName(pair);
    if (name === undefined) return undefined;
    const key = name.toLowerCase();
    const found = this.#claims.get(key);
    if (found !== undefined) return soleHolder(found, pair);
    const holder: Holder = { pair, name, level: 0, since: turn };
    this.#claims.set(key, holder);
    return holder;
  }

  #simpleName({ server, tool }: ToolPair): string | undefined {
    const head = this.#prefixOf(server);
    if (head === undefined || !isSimple(tool)) return undefined;
    return head.length + tool.length > this.#naming.maxLength ? undefined : head + tool;
  }

  #findOther({ server, tool }: ToolPair): Holder | undefined {
    return this.#others.get(server)?.get(tool);
  }

  #addOther(pair: ToolPair, turn: number, onLost: OnLost): Holder {
    const holder: Holder = { pair, name: undefined, level: 0, since: turn };
    this.#addOtherHolder(holder);
    this.#claimAll(holder, onLost);
    return holder;
  }

  #addOtherHolder(holder: Holder): void {
    const { server, tool } = holder.pair;
    const own = this.#others.get(server) ?? new Map<string, Holder>();
    this.#others.set(server, own.set(tool, holder));
  }

  #prefixOf(server: string): string | undefined {
    if (!this.#prefixes.has(server)) this.#prefixes.set(server, simplePrefix(this.#naming.profile, server));
    return this.#prefixes.get(server);
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

  /**
   * Claims the holder's candidate for its level. Returns all holders that can no longer have their name,
   * possibly this one.
   */
  #claimNext(holder: Holder): ReadonlySet<Holder> {
    const { level } = holder;
    const { name, keys } = candidate(this.#naming, holder.pair, level);
    holder.name = name;
    const losers = new Set<Holder>(name === undefined ? [holder] : []);
    for (const key of keys) {
      for (const claim of this.#claim(key, { holder, level }))
        if (claim.holder?.level === claim.level) losers.add(claim.holder);
    }
    return losers;
  }

  #claim(key: string, claim: Claim): readonly Claim[] {
    const found = this.#claims.get(key);
    if (found === undefined) {
      this.#claims.set(key, claim);
      return [];
    }
    if (Array.isArray(found)) {
      // The earlier pairs have lost the name already.
      found.push(claim);
      this.#newClashes.set(key, found);
      return [claim];
    }
    const first = claimOf(found);
    const both = [first, claim];
    if (first.holder !== undefined) this.#addOtherHolder(first.holder);
    this.#claims.set(key, both);
    this.#newClashes.set(key, both);
    return both;
  }
}

function holderIn(wanted: Holder | Claim): Holder | undefined {
  return 'pair' in wanted ? wanted : wanted.holder;
}

function claimOf(wanted: Holder | Claim): Claim {
  return 'pair' in wanted ? { holder: wanted, level: 0 } : wanted;
}

/** Returns the holder if this pair has the only claim. */
function soleHolder(wanted: ClaimSet | undefined, { server, tool }: ToolPair): Holder | undefined {
  if (wanted === undefined || Array.isArray(wanted)) return undefined;
  const holder = holderIn(wanted);
  return holder?.pair.tool === tool && holder.pair.server === server ? holder : undefined;
}

function describe(naming: Naming, key: string, claims: readonly Claim[]): NameClash {
  const names = claims.map(({ holder, level }) =>
    holder === undefined ? key : (candidate(naming, holder.pair, level).name ?? key),
  );
  const [name = key] = names.toSorted(compare);
  const isReserved = claims.some(({ holder }) => holder === undefined);
  return { name, pairs: pairsOf(claims), ...(isReserved ? { reserved: key } : {}) };
}

function pairsOf(claims: readonly Claim[]): readonly ToolPair[] {
  return claims
    .flatMap(({ holder }) => (holder === undefined ? [] : [holder.pair]))
    .toSorted((left, right) => compare(left.server, right.server) || compare(left.tool, right.tool));
}

function compare(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
