/**
 * Servers whose tool names need no claims, because no other tool's name can start with the same prefix. That
 * is so on most machines, and then thousands of names cost no more than string concatenation. Names are
 * claimed one by one only when a server arrives that could want one of them, or when a caller looks up a
 * name.
 */

import { isSimple, type Naming, reservedNames, simpleHead } from './candidates.ts';

const none: readonly PlainList[] = [];

export interface ToolList {
  readonly server: string;
  readonly tools: readonly string[];
}

export interface PlainList extends ToolList {
  /** The prefix of each tool's name. */
  readonly head: string;
  /** The turn in which the list was added. */
  readonly turn: number;
}

export class PlainLists {
  readonly #naming: Naming;
  /** Keyed by the prefix in lower case. */
  readonly #lists = new Map<string, PlainList>();

  constructor(naming: Naming) {
    this.#naming = naming;
  }

  /**
   * Returns undefined when a name of the list could clash with another one in the list, with those of the
   * lists added before, or with a reserved name.
   */
  add(list: ToolList, turn: number): PlainList | undefined {
    const head = simpleHead(this.#naming.profile, list.server);
    if (head === undefined || head === '') return undefined;
    const key = head.toLowerCase();
    const before = this.#lists.get(key);
    if (before !== undefined) return isSame(before, list) ? before : undefined;
    const others = [...this.#lists.keys(), ...reservedNames];
    if (others.some((other) => other.startsWith(key) || key.startsWith(other))) return undefined;
    if (!areApart(list.tools, this.#naming.maxLength - head.length)) return undefined;
    const plain = { ...list, head, turn };
    this.#lists.set(key, plain);
    return plain;
  }

  /** Removes and returns all lists. Called for every name lookup, and nearly always there are none. */
  takeAll(): readonly PlainList[] {
    if (this.#lists.size === 0) return none;
    const all = [...this.#lists.values()];
    this.#lists.clear();
    return all;
  }
}

function isSame(left: ToolList, right: ToolList): boolean {
  if (left.server !== right.server || left.tools.length !== right.tools.length) return false;
  return left.tools === right.tools || left.tools.every((tool, at) => tool === right.tools[at]);
}

/**
 * Tests all names with one regular expression, because thousands of separate tests noticeably slow down a
 * start.
 */
function areApart(tools: readonly string[], maxLength: number): boolean {
  const lower = tools.map((tool) => tool.toLowerCase());
  return (
    (tools.length === 0 || isSimple(tools.join(''))) &&
    new Set(lower).size === tools.length &&
    tools.every(({ length }) => length > 0 && length <= maxLength)
  );
}
