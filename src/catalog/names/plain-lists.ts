/**
 * Tools whose names follow from their server's alone, because nobody else's can begin the same way. That is so on most
 * machines, and then thousands of names cost no more than putting two words together: each is claimed only when somebody
 * comes who could want one of them, or asks whose a name is.
 */

import { isSimple, simpleHead, type Naming } from './candidates.ts';
import { reservedNames } from './reserved-names.ts';

const none: readonly PlainList[] = [];

export interface ToolList {
  readonly server: string;
  readonly tools: readonly string[];
}

export interface PlainList extends ToolList {
  /** What comes before each tool's own name. */
  readonly head: string;
  /** The turn it came in. */
  readonly turn: number;
}

export class PlainLists {
  readonly #naming: Naming;
  /** By their heads in lower case. */
  readonly #lists = new Map<string, PlainList>();

  constructor(naming: Naming) {
    this.#naming = naming;
  }

  /** Undefined for a list that has a name in it which could be somebody else's too, now or with those that are there. */
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

  /** Gives up all there are: nearly always none, as each call asks whose its name is. */
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

/** All in one go: thousands of looks at one name each are felt at a start. */
function areApart(tools: readonly string[], maxLength: number): boolean {
  const lower = tools.map((tool) => tool.toLowerCase());
  return (
    (tools.length === 0 || isSimple(tools.join(''))) &&
    new Set(lower).size === tools.length &&
    tools.every(({ length }) => length > 0 && length <= maxLength)
  );
}
