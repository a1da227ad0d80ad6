/** Finds tools: by public name or by any way people write them. Starts just the servers it takes to tell. */

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
  /** How every server is called, also those that nobody has asked for yet. */
  readonly refs: () => readonly string[];
  readonly connectionOf: (ref: string) => Connection;
  readonly withheld: () => readonly WithheldTool[];
  readonly refused: () => readonly RefusedTool[];
  /** Starts the servers that nothing is known of, and waits for them as a list does. */
  readonly connectUnknown: () => Promise<void>;
  /** Servers that did not answer in that time. */
  readonly missing: () => readonly string[];
}

/** How long somebody waits for the servers that it takes. */
interface FinderPatience extends Patience {
  /** Is told which server is waited for. */
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

  /** A tool whose server is up and offers it now. */
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

  /** The same for a public name or any selector; a public name is never read as a selector of another tool. */
  async byAnyName(name: string, patience: FinderPatience = {}): Promise<OfferedTool> {
    const { known, refs } = this.#parts;
    const isSelector = known.table.find(name) === undefined && readSelector(name, refs()).length > 0;
    const publicOne = isSelector ? (await this.bySelector(name, patience)).info.name : name;
    return this.byName(publicOne, patience);
  }

  /** Connects no more than it takes to know the tool. */
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
    // People learn `mcp__s__t` from other agents, whatever the naming profile here.
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

  /** From what was known to what is true now. */
  async #live({ info, connection }: OfferedTool, patience: FinderPatience = {}): Promise<OfferedTool> {
    const { known } = this.#parts;
    const { server, tool, name } = info;
    known.table.give(name);
    const failure = await this.#readied(connection, patience);
    if (failure !== undefined) throw failure;
    await known.refresh();
    const fresh = known.table.at(server, tool);
    if (fresh === undefined) throw this.#notFound(name, info, publicName);
    // Another one has its place by now: what is known of that is not its own word yet.
    return fresh.known.source === undefined ? this.#live(fresh, patience) : fresh;
  }

  /** Connects whoever a name may belong to. Gives why one of them could not be: that may be why it is not found. */
  async #ask(owners: readonly Connection[], patience: FinderPatience = {}): Promise<HoltError | undefined> {
    const { known } = this.#parts;
    const [owner, ...others] = owners;
    if (owner !== undefined && others.length === 0) patience.deadline?.waitsFor('start', owner.entry.ref);
    if (owners.length === 0) await this.#parts.connectUnknown();
    const failures = await Promise.all(owners.map((connection) => this.#readied(connection, patience)));
    await known.refresh();
    return failures.find((failure) => failure !== undefined);
  }

  /** Undefined when it is up; what stood in the way otherwise. Whoever has its place by then is waited for instead. */
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

  /** Whose it may be, too; undefined for one that is known and cannot be anybody else's. */
  #stillToAsk(name: string): readonly Connection[] | undefined {
    const { known } = this.#parts;
    const found = known.table.find(name);
    if (found === undefined) return this.#likely(name);
    const unheard = known.unheard(name, found);
    return unheard.length === 0 ? undefined : unheard;
  }

  /** Whose it is, where anybody knows; else whose it may be. */
  #owners(name: string): readonly Connection[] {
    const owner = this.#parts.known.table.pairOf(name)?.server;
    return owner === undefined ? this.#likely(name) : this.#named([owner]);
  }

  #likely(name: string): readonly Connection[] {
    const refs = this.#parts.known.connections().map(({ entry }) => entry.ref);
    return this.#named(possibleOwners(name, refs));
  }

  /** A name that more than one tool could have belongs to none of them. */
  #wantedByMany(name: string): HoltError | undefined {
    const names = this.#parts.known.table.wantedBy(name);
    return names.length < 2 || names.includes(name) ? undefined : ambiguous(name, names);
  }

  /** `suggest` says how one that is close is to be written where this one was. */
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
    return new HoltError('tool-not-found', `There is no tool called "${name}"`, details, { remedy });
  }
}

/** From what somebody may have meant to what is to be written: `spelled` is one of the two ways the tool is found by. */
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

/** The tool may be unchanged, so this is not `tool-changed`. */
function notOffered(name: string, tool: RefusedTool): HoltError {
  const { server, reason } = tool;
  return new HoltError(
    'tool-not-found',
    `The tool ${name} of "${server}" is not offered: ${reason}`,
    { tool: name },
    { remedy: deepRemedy },
  );
}

/** It may be just what it was: the fault is in what holt keeps. */
function unchecked(name: string, { server, tool, changes, unchecked: reason = '' }: WithheldTool): HoltError {
  return new HoltError(
    'tool-changed',
    `The tool ${name} is held back, because what was accepted earlier cannot be read: ${reason}`,
    { server, tool, changes },
    { remedy: 'Mend what is named there or move it away; holt doctor says more.' },
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
