/** Finds tools by public name or by selector. Starts only the servers that may have the tool. */

import type { CallDeadline } from '../connection/call-timers.ts';
import type { Connection } from '../connection/connection.ts';
import type { Patience } from '../connection/run-call.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Roster } from '../roster/load-roster.ts';
import type { KnownTools } from './known-tools.ts';
import { ambiguous, anyName, publicName, toolNotFound, type NotFoundParts } from './tool-errors.ts';
import type { OfferedTool } from './tool-table.ts';

export interface FinderParts extends NotFoundParts {
  readonly known: KnownTools;
  readonly roster: { readonly current: Pick<Roster, 'servers' | 'shadowed'> };
  readonly connectionOf: (ref: string) => Connection;
  /** Starts the servers whose tools are unknown, and waits for them as a list does. */
  readonly connectUnknown: () => Promise<void>;
}

/** How long the caller waits for servers to start. */
interface FinderPatience extends Patience {
  /** Records which server the call waits for, for the error message. */
  readonly deadline?: CallDeadline | undefined;
}

interface Pair {
  readonly server: string;
  readonly tool: string;
}

interface ToolOwner extends Pair {
  readonly agent: string;
}

export class ToolFinder {
  readonly #parts: FinderParts;

  constructor(parts: FinderParts) {
    this.#parts = parts;
  }

  /**
   * Finds a tool by public name and connects its server. Rejects with `tool-not-found`, `tool-ambiguous`,
   * `tool-changed`, or the reason why the server cannot be used.
   */
  async byName(name: string, patience: FinderPatience = {}): Promise<OfferedTool> {
    const { known } = this.#parts;
    const at = known.findReady(name);
    if (at !== undefined) return at;
    await known.refresh();
    const found = known.table.find(name);
    const unlisted = found === undefined ? this.#owners(name) : known.unlisted(name, found);
    if (found !== undefined && unlisted.length === 0) return this.#connected(found, patience);
    const failure = await this.#connectOwners(unlisted, patience);
    const listed = known.table.find(name);
    if (listed !== undefined) return this.#connected(listed, patience);
    throw (
      this.#wantedByMany(name) ??
      failure ??
      toolNotFound(name, { pair: known.table.pairOf(name), suggest: publicName }, this.#parts)
    );
  }

  /** Finds a tool by public name or selector. A public name is never read as a selector for another tool. */
  async byAnyName(name: string, patience: FinderPatience = {}): Promise<OfferedTool> {
    const { known } = this.#parts;
    const isSelector = known.table.find(name) === undefined && readSelector(name, this.#refs()).length > 0;
    const publicOne = isSelector ? (await this.bySelector(name, patience)).info.name : name;
    return this.byName(publicOne, patience);
  }

  /** Finds a tool by selector. Connects only the servers needed to identify the tool. */
  async bySelector(selector: string, patience: FinderPatience = {}): Promise<OfferedTool> {
    const { known, connectionOf } = this.#parts;
    await known.refresh();
    const spelled = readSelector(selector, this.#refs());
    const owners = [...new Set(spelled.map(({ server }) => server))].map((ref) => connectionOf(ref));
    const asked = owners.length === 0 ? this.#possibleOwners(selector) : owners;
    const failure = asked === undefined ? undefined : await this.#connectOwners(asked, patience);
    const named = known.table.find(selector);
    const matches = new Set([
      ...(named === undefined ? [] : [named]),
      ...spelled.flatMap(({ server, tool }) => known.table.at(server, tool) ?? []),
    ]);
    // People know `mcp__s__t` from other agents, so accept it in every naming profile.
    const usual = matches.size === 0 ? known.table.byUsualName(selector) : [];
    const [match, ...others] = matches.size === 0 ? usual : matches;
    if (match === undefined) {
      const pair = spelled[0] ?? known.table.pairOf(selector);
      throw (
        this.#wantedByMany(selector) ??
        failure ??
        toolNotFound(selector, { pair, suggest: anyName }, this.#parts)
      );
    }
    if (others.length === 0) {
      known.table.give(match.info.name);
      return match;
    }
    throw ambiguous(
      selector,
      [match, ...others].map(({ info }) => info.name),
    );
  }

  /** Connects the server and returns the tool as it is offered now. */
  async #connected({ info, connection }: OfferedTool, patience: FinderPatience = {}): Promise<OfferedTool> {
    const { known } = this.#parts;
    const { server, tool, name } = info;
    known.table.give(name);
    const failure = await this.#ready(connection, patience);
    if (failure !== undefined) throw failure;
    await known.refresh();
    const fresh = known.table.at(server, tool);
    if (fresh === undefined) throw toolNotFound(name, { pair: info, suggest: publicName }, this.#parts);
    // A reload replaced the connection, and its tools are not its own list yet.
    return fresh.known.source === undefined ? this.#connected(fresh, patience) : fresh;
  }

  /**
   * Connects the servers that a name may belong to. Returns the first failure, which may explain why the tool
   * is not found.
   */
  async #connectOwners(
    owners: readonly Connection[],
    patience: FinderPatience = {},
  ): Promise<HoltError | undefined> {
    const { known } = this.#parts;
    const [owner, ...others] = owners;
    if (owner !== undefined && others.length === 0) patience.deadline?.waitsFor('start', owner.entry.ref);
    if (owners.length === 0) await this.#parts.connectUnknown();
    const failures = await Promise.all(owners.map((connection) => this.#ready(connection, patience)));
    await known.refresh();
    return failures.find((failure) => failure !== undefined);
  }

  /**
   * Waits until the server is connected, or the connection that replaced it. Returns the error if it fails.
   */
  async #ready(connection: Connection, patience: Patience): Promise<HoltError | undefined> {
    try {
      await connection.ready(patience);
      return undefined;
    } catch (error) {
      if (patience.signal?.aborted === true || !HoltError.is(error)) throw error;
      const [replacement] = this.#named([connection.entry.ref]);
      if (replacement === undefined || replacement === connection) return error;
      return this.#ready(replacement, patience);
    }
  }

  /**
   * Returns the owner of a public name from the tool table. If its server never listed its tools, guesses from
   * the name. `failed` is the server that could not be reached.
   */
  ownerOf(name: string, failed?: string): ToolOwner {
    const { known } = this.#parts;
    const connections = known.connections();
    const { server, tool } = known.table.pairOf(name) ?? guessOwner(name, failed, connections);
    const owner = connections.find(({ entry }) => entry.ref === server);
    return { server, tool, agent: owner?.entry.definition.origin.agent ?? '' };
  }

  /** The names of all servers, including those without a connection. */
  #refs(): readonly string[] {
    const { servers, shadowed } = this.#parts.roster.current;
    return [...servers, ...shadowed].map(({ ref }) => ref);
  }

  #named(refs: readonly string[]): readonly Connection[] {
    return this.#parts.known.connections().filter(({ entry }) => refs.includes(entry.ref));
  }

  /**
   * The servers that may have this tool. Undefined if the tool is known and can belong to no other server.
   */
  #possibleOwners(name: string): readonly Connection[] | undefined {
    const { known } = this.#parts;
    const found = known.table.find(name);
    if (found === undefined) return this.#likely(name);
    const unlisted = known.unlisted(name, found);
    return unlisted.length === 0 ? undefined : unlisted;
  }

  /** The server that owns the name if known, else the servers that may. */
  #owners(name: string): readonly Connection[] {
    const owner = this.#parts.known.table.pairOf(name)?.server;
    return owner === undefined ? this.#likely(name) : this.#named([owner]);
  }

  #likely(name: string): readonly Connection[] {
    const refs = this.#parts.known.connections().map(({ entry }) => entry.ref);
    return this.#named(possibleOwners(name, refs));
  }

  /** The error for a name that several tools would have, and none got. */
  #wantedByMany(name: string): HoltError | undefined {
    const names = this.#parts.known.table.wantedBy(name);
    return names.length < 2 || names.includes(name) ? undefined : ambiguous(name, names);
  }
}

function guessOwner(name: string, failed: string | undefined, connections: readonly Connection[]): Pair {
  const refs = connections.map(({ entry }) => entry.ref);
  const [only = '', ...others] = failed === undefined ? possibleOwners(name, refs) : [failed];
  const server = others.length === 0 ? only : '';
  return { server, tool: toolIn(name, server) };
}

export interface SelectorReading {
  readonly server: string;
  readonly tool: string;
}

const separators = new Set(['.', '/', ':', ' ']);

/** Returns every possible reading, because names may contain separators. */
export function readSelector(selector: string, refs: readonly string[]): readonly SelectorReading[] {
  return refs.flatMap((server) => {
    const tool = selector.slice(server.length + 1);
    const fits = selector.startsWith(server) && separators.has(selector.charAt(server.length)) && tool !== '';
    return fits ? [{ server, tool }] : [];
  });
}

/**
 * Returns the servers whose name appears in a public name, as far as that is known without the tool table.
 */
export function possibleOwners(name: string, refs: readonly string[]): readonly string[] {
  const exact = ownersOf(name, refs, /[^a-z0-9]+/g);
  // One naming profile also drops digits.
  return exact.length > 0 ? exact : ownersOf(name, refs, /[^a-z]+/g);
}

function ownersOf(name: string, refs: readonly string[], dropped: RegExp): readonly string[] {
  const flat = (text: string): string => text.toLowerCase().replaceAll(dropped, '_');
  const plain = flat(name);
  return refs.filter((ref) => plain.startsWith(flat(`mcp_${ref}_`)) || plain.startsWith(flat(`${ref}_`)));
}

/**
 * Returns the part of a public name that names the tool, for a server whose tools are unknown. Returns the
 * whole name if the server's part cannot be recognized.
 */
export function toolIn(name: string, ref: string): string {
  const safe = ref.replaceAll(/[^A-Za-z0-9_-]/gu, '_');
  const lower = ref
    .toLowerCase()
    .replaceAll(/[^a-z]+/gu, '_')
    .replace(/_$/, '');
  const heads = [`mcp__${safe}__`, `mcp_${lower}_`, `${safe}_`];
  const head = heads.find((start) => name.startsWith(start) && name.length > start.length);
  return head === undefined ? (readSelector(name, [ref])[0]?.tool ?? name) : name.slice(head.length);
}
