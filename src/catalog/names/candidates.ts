/**
 * The names that a server/tool pair can have, best first: the plain name of the profile, then the plain name
 * with eight digits of the pair's hash, then an unlimited series with longer hashes. A server that imitates
 * another tool's next candidate only moves that tool one step further.
 */

import { sha256 } from '../../kernel/hash.ts';
import { foldName } from '../../masking/fold-name.ts';
import type { NamingProfile } from '../../settings/settings.ts';

export interface Naming {
  readonly profile: NamingProfile;
  /** The smallest value that the settings allow has room for the digits of any level. */
  readonly maxLength: number;
}

export interface Candidate {
  /** Undefined when the name is unusable even without a clash: too long or empty. */
  readonly name: string | undefined;
  /** Two pairs that share a key have the same name or names that look alike. */
  readonly keys: readonly string[];
}

export function candidate({ profile, maxLength }: Naming, pair: Pair, level: number): Candidate {
  const plain = plainName(profile, pair.server, pair.tool);
  if (level === 0) {
    const name = plain === '' || plain.length > maxLength ? undefined : plain;
    const own = plain.toLowerCase();
    const alike = isAscii(pair) ? own : foldedName(profile, pair);
    return { name, keys: alike === own ? [own] : [own, alike] };
  }
  const digits = digitsOf(pair, level);
  const head = plain.slice(0, maxLength - digits.length - 1);
  // Do not end with half of a surrogate pair.
  const name = `${head.replace(/[\ud800-\udbff]$/, '')}_${digits}`;
  return { name, keys: [name.toLowerCase()] };
}

/**
 * Returns the prefix of a server's tool names when simple tool names can be appended unchanged; undefined
 * otherwise.
 */
export function simplePrefix(profile: NamingProfile, server: string): string | undefined {
  return profile !== 'single' && isSimple(server) ? plainName(profile, server, '') : undefined;
}

/**
 * Whether a name starts with the prefix of this server's tools. False for profiles without a prefix, because
 * there the name does not show its server.
 */
export function mayBeOf({ profile }: Naming, server: string, name: string): boolean {
  const heads = [server, foldName(server)].map((owner) => plainName(profile, owner, '').toLowerCase());
  return heads.some((head) => head !== '' && name.toLowerCase().startsWith(head));
}

/**
 * Whether every profile but `single` leaves the name unchanged, and it looks like no other name except for
 * case.
 */
export function isSimple(name: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(name);
}

interface Pair {
  readonly server: string;
  readonly tool: string;
}

/** Folding changes nothing but case in ASCII. Skipping it halves the work for nearly all names. */
function isAscii({ server, tool }: Pair): boolean {
  return /^[ -~]*$/.test(tool) && /^[ -~]*$/.test(server);
}

function foldedName(profile: NamingProfile, { server, tool }: Pair): string {
  return plainName(profile, foldName(server), foldName(tool)).toLowerCase();
}

/**
 * Only the form of level 1 is guaranteed. It is ambiguous when a name contains NUL (`a NUL b` + `c` and `a` +
 * `b NUL c`), so later levels hash another form.
 */
function digitsOf({ server, tool }: Pair, level: number): string {
  if (level === 1) return sha256(`${server}\0${tool}`).slice(0, 8);
  return sha256(JSON.stringify([server, tool, level])).slice(0, 15);
}

export function plainName(profile: NamingProfile, server: string, tool: string): string {
  switch (profile) {
    case 'double':
      return `mcp__${replaceUnsafe(server)}__${replaceUnsafe(tool)}`;
    case 'single':
      return singleName(server, tool);
    case 'plain':
      return `${replaceUnsafe(server)}_${replaceUnsafe(tool)}`;
    case 'bare':
      return tool;
  }
}

function replaceUnsafe(text: string): string {
  // Fast path: most names are safe, and there may be many thousands.
  if (/^[A-Za-z0-9_-]*$/.test(text)) return text;
  return text.replaceAll(/[^A-Za-z0-9_-]/gu, '_');
}

function singleName(server: string, tool: string): string {
  const owner = lowerWords(server).replace(/_$/, '');
  const own = lowerWords(tool);
  const prefix = `${owner}_`;
  // A tool with the same name as its server keeps it, because otherwise nothing would be left.
  const rest = own.length > prefix.length && own.startsWith(prefix) ? own.slice(prefix.length) : own;
  return `mcp_${owner}_${rest}`.replaceAll(/_+/g, '_');
}

function lowerWords(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]+/gu, '_');
}

export const reservedNames: readonly string[] = [
  'list_mcp_resources',
  'read_mcp_resource',
  'mcp_auth',
  'search_tools',
  'describe_tool',
  'call_tool',
];

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
    const head = simplePrefix(this.#naming.profile, list.server);
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
