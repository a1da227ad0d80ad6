/** Finds tools by public name or by selector. Starts only the servers that may have the tool. */

import type { RefusedTool, ToolInfo, WithheldTool } from '../../catalog/tool-info.ts';
import type { CallDeadline } from '../../connection/call-deadline.ts';
import type { Connection } from '../../connection/connection.ts';
import type { Patience } from '../../connection/run-call.ts';
import { HoltError } from '../../kernel/errors.ts';
import { nearest } from '../../kernel/nearest.ts';
import { nameWord } from '../../kernel/shell-words.ts';
import type { KnownTools } from './known-tools.ts';
import { deepRemedy } from './server-problems.ts';
import { possibleOwners, readSelector } from './read-selector.ts';
import type { OfferedTool } from './tool-table.ts';

export interface FinderParts {
  readonly known: KnownTools;
  /** The names of all servers, including those without a connection. */
  readonly refs: () => readonly string[];
  readonly connectionOf: (ref: string) => Connection;
  readonly withheld: () => readonly WithheldTool[];
  readonly refused: () => readonly RefusedTool[];
  /** Starts the servers whose tools are unknown, and waits for them as a list does. */
  readonly connectUnknown: () => Promise<void>;
  /** Servers that did not answer in that time. */
  readonly missing: () => readonly string[];
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
    const at = known.now(name);
    if (at !== undefined) return at;
    await known.refresh();
    const found = known.table.find(name);
    const unheard = found === undefined ? this.#owners(name) : known.unheard(name, found);
    if (found !== undefined && unheard.length === 0) return this.#live(found, patience);
    const failure = await this.#ask(unheard, patience);
    const late = known.table.find(name);
    if (late !== undefined) return this.#live(late, patience);
    throw this.#wantedByMany(name) ?? failure ?? this.#notFound(name, known.table.pairOf(name), publicName);
  }

  /** Finds a tool by public name or selector. A public name is never read as a selector for another tool. */
  async byAnyName(name: string, patience: FinderPatience = {}): Promise<OfferedTool> {
    const { known, refs } = this.#parts;
    const isSelector = known.table.find(name) === undefined && readSelector(name, refs()).length > 0;
    const publicOne = isSelector ? (await this.bySelector(name, patience)).info.name : name;
    return this.byName(publicOne, patience);
  }

  /** Finds a tool by selector. Connects only the servers needed to identify the tool. */
  async bySelector(selector: string, patience: FinderPatience = {}): Promise<OfferedTool> {
    const { known, refs, connectionOf } = this.#parts;
    await known.refresh();
    const spelled = readSelector(selector, refs());
    const owners = [...new Set(spelled.map(({ server }) => server))].map((ref) => connectionOf(ref));
    const asked = owners.length === 0 ? this.#stillToAsk(selector) : owners;
    const failure = asked === undefined ? undefined : await this.#ask(asked, patience);
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
      throw this.#wantedByMany(selector) ?? failure ?? this.#notFound(selector, pair, anyName);
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
  async #live({ info, connection }: OfferedTool, patience: FinderPatience = {}): Promise<OfferedTool> {
    const { known } = this.#parts;
    const { server, tool, name } = info;
    known.table.give(name);
    const failure = await this.#readied(connection, patience);
    if (failure !== undefined) throw failure;
    await known.refresh();
    const fresh = known.table.at(server, tool);
    if (fresh === undefined) throw this.#notFound(name, info, publicName);
    // A reload replaced the connection, and its tools are not its own list yet.
    return fresh.known.source === undefined ? this.#live(fresh, patience) : fresh;
  }

  /**
   * Connects the servers that a name may belong to. Returns the first failure, which may explain why the tool
   * is not found.
   */
  async #ask(owners: readonly Connection[], patience: FinderPatience = {}): Promise<HoltError | undefined> {
    const { known } = this.#parts;
    const [owner, ...others] = owners;
    if (owner !== undefined && others.length === 0) patience.deadline?.waitsFor('start', owner.entry.ref);
    if (owners.length === 0) await this.#parts.connectUnknown();
    const failures = await Promise.all(owners.map((connection) => this.#readied(connection, patience)));
    await known.refresh();
    return failures.find((failure) => failure !== undefined);
  }

  /**
   * Waits until the server is connected, or the connection that replaced it. Returns the error if it fails.
   */
  async #readied(connection: Connection, patience: Patience): Promise<HoltError | undefined> {
    try {
      await connection.ready(patience);
      return undefined;
    } catch (error) {
      if (patience.signal?.aborted === true || !HoltError.is(error)) throw error;
      const [heir] = this.#named([connection.entry.ref]);
      if (heir === undefined || heir === connection) return error;
      return this.#readied(heir, patience);
    }
  }

  #named(refs: readonly string[]): readonly Connection[] {
    return this.#parts.known.connections().filter(({ entry }) => refs.includes(entry.ref));
  }

  /**
   * The servers that may have this tool. Undefined if the tool is known and can belong to no other server.
   */
  #stillToAsk(name: string): readonly Connection[] | undefined {
    const { known } = this.#parts;
    const found = known.table.find(name);
    if (found === undefined) return this.#likely(name);
    const unheard = known.unheard(name, found);
    return unheard.length === 0 ? undefined : unheard;
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

  /** The error for an unknown name. `suggest` spells a similar name in the form that the caller used. */
  #notFound(name: string, pair: Pair | undefined, suggest: Suggest): HoltError {
    const { known, withheld, refused, missing } = this.#parts;
    const held = withheld().find(({ server, tool }) => server === pair?.server && tool === pair.tool);
    if (held !== undefined) return held.unchecked === undefined ? changed(name, held) : unchecked(name, held);
    const deep = refused().find(({ server, tool }) => server === pair?.server && tool === pair.tool);
    if (deep !== undefined) return notOffered(name, deep);
    const [moved] = known.table.wantedBy(name);
    const near = moved ?? nearestOf(name, known.table.list(), suggest);
    const late = missing();
    const remedy = [
      near === undefined ? 'holt tools shows the tools there are.' : `Did you mean "${near}"?`,
      ...(late.length === 0 ? [] : [`It may be a tool of ${late.join(', ')}, which did not answer yet.`]),
    ].join(' ');
    const details = { tool: name, ...(near === undefined ? {} : { nearest: near }) };
    return new HoltError('tool-not-found', `Unknown tool "${name}"`, details, { remedy });
  }
}

/**
 * Returns the name to suggest for a tool. `spelled` is the spelling that was similar to the caller's name.
 */
type Suggest = (info: ToolInfo, spelled: string) => string;

const anyName: Suggest = (_info, spelled) => spelled;
const publicName: Suggest = ({ name }) => name;

function nearestOf(name: string, tools: readonly ToolInfo[], suggest: Suggest): string | undefined {
  const meant = new Map(
    tools.flatMap((info) =>
      [info.name, `${info.server}.${info.tool}`].map((spelled) => [spelled, suggest(info, spelled)] as const),
    ),
  );
  const near = nearest(name, [...meant.keys()]);
  return near === undefined ? undefined : meant.get(near);
}

function ambiguous(tool: string, matches: readonly string[]): HoltError {
  return new HoltError(
    'tool-ambiguous',
    `"${tool}" can mean ${matches.join(' or ')}`,
    { tool, matches },
    { remedy: `Use one of these names: ${matches.join(', ')}.` },
  );
}

/** Not `tool-changed`, because the tool may be unchanged. */
function notOffered(name: string, tool: RefusedTool): HoltError {
  const { server, reason } = tool;
  return new HoltError(
    'tool-not-found',
    `The tool ${name} of "${server}" is not offered: ${reason}`,
    { tool: name },
    { remedy: deepRemedy },
  );
}

/** The tool may be unchanged; holt cannot read what was accepted. */
function unchecked(name: string, { server, tool, changes, unchecked: reason = '' }: WithheldTool): HoltError {
  return new HoltError(
    'tool-changed',
    `The tool ${name} is held back, because what was accepted earlier cannot be read: ${reason}`,
    { server, tool, changes },
    { remedy: 'Fix what is named there or move it away; holt doctor says more.' },
  );
}

function changed(name: string, { server, tool, changes }: WithheldTool): HoltError {
  return new HoltError(
    'tool-changed',
    `The tool ${name} is not what it was when it was accepted`,
    { server, tool, changes },
    {
      remedy: `Look at it with holt pin diff, and take it as it is now: holt pin accept ${nameWord(`${server}.${tool}`)}`,
    },
  );
}
