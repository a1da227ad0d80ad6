/** Finds tools: by public name or by any way people write them. Starts just the servers it takes to tell. */

import type { WithheldTool } from '../../catalog/tool-info.ts';
import type { CallDeadline } from '../../connection/call-deadline.ts';
import type { Connection } from '../../connection/connection.ts';
import type { Patience } from '../../connection/run-call.ts';
import { HoltError } from '../../kernel/errors.ts';
import { nearest } from '../../kernel/nearest.ts';
import type { KnownTools } from './known-tools.ts';
import { possibleOwners, readSelector } from './read-selector.ts';
import type { OfferedTool } from './tool-table.ts';

export interface FinderParts {
  readonly known: KnownTools;
  /** How every server is called, also those that nobody has asked for yet. */
  readonly refs: () => readonly string[];
  readonly connectionOf: (ref: string) => Connection;
  readonly withheld: () => readonly WithheldTool[];
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
    if (found !== undefined) return this.#live(found, patience);
    const owner = known.table.pairOf(name)?.server;
    const failure = await this.#ask(
      owner === undefined ? this.#likely(name) : this.#named([owner]),
      patience,
    );
    const late = known.table.find(name);
    if (late !== undefined) return this.#live(late, patience);
    throw failure ?? this.#notFound(name, known.table.pairOf(name));
  }

  /** Connects no more than it takes to know the tool. */
  async bySelector(selector: string, patience: FinderPatience = {}): Promise<OfferedTool> {
    const { known, refs, connectionOf } = this.#parts;
    await known.refresh();
    const spelled = readSelector(selector, refs());
    const owners = [...new Set(spelled.map(({ server }) => server))].map((ref) => connectionOf(ref));
    const isKnown = owners.length === 0 && known.table.find(selector) !== undefined;
    const failure = isKnown
      ? undefined
      : await this.#ask(owners.length === 0 ? this.#likely(selector) : owners, patience);
    const named = known.table.find(selector);
    const matches = new Set([
      ...(named === undefined ? [] : [named]),
      ...spelled.flatMap(({ server, tool }) => known.table.at(server, tool) ?? []),
    ]);
    const [match, ...others] = matches;
    if (match === undefined)
      throw failure ?? this.#notFound(selector, spelled[0] ?? known.table.pairOf(selector));
    if (others.length === 0) return match;
    throw ambiguous(
      selector,
      [...matches].map(({ info }) => info.name),
    );
  }

  /** From what was known to what is true now. */
  async #live({ info, connection }: OfferedTool, patience: FinderPatience = {}): Promise<OfferedTool> {
    const { known } = this.#parts;
    const { server, tool, name } = info;
    const failure = await readied(connection, patience);
    if (failure !== undefined) throw failure;
    await known.refresh();
    const fresh = known.table.at(server, tool);
    if (fresh === undefined) throw this.#notFound(name, info);
    return fresh;
  }

  /** Connects whoever a name may belong to. Gives why one of them could not be: that may be why it is not found. */
  async #ask(owners: readonly Connection[], patience: FinderPatience = {}): Promise<HoltError | undefined> {
    const { known } = this.#parts;
    const [owner, ...others] = owners;
    if (owner !== undefined && others.length === 0) patience.deadline?.waitsFor('start', owner.entry.ref);
    if (owners.length === 0) await known.connect('unknown');
    const failures = await Promise.all(owners.map((connection) => readied(connection, patience)));
    await known.refresh();
    return failures.find((failure) => failure !== undefined);
  }

  #named(refs: readonly string[]): readonly Connection[] {
    return this.#parts.known.connections().filter(({ entry }) => refs.includes(entry.ref));
  }

  #likely(name: string): readonly Connection[] {
    const refs = this.#parts.known.connections().map(({ entry }) => entry.ref);
    return this.#named(possibleOwners(name, refs));
  }

  #notFound(name: string, pair: Pair | undefined): HoltError {
    const { known, withheld } = this.#parts;
    const held = withheld().find(({ server, tool }) => server === pair?.server && tool === pair.tool);
    if (held !== undefined) return changed(name, held);
    const near = nearest(
      name,
      known.table.list().flatMap((info) => [info.name, `${info.server}.${info.tool}`]),
    );
    const remedy = near === undefined ? 'holt tools shows the tools there are.' : `Did you mean "${near}"?`;
    const details = { tool: name, ...(near === undefined ? {} : { nearest: near }) };
    return new HoltError('tool-not-found', `There is no tool called "${name}"`, details, { remedy });
  }
}

/** Undefined when it is up; what stood in the way otherwise. */
async function readied(connection: Connection, patience: Patience): Promise<HoltError | undefined> {
  try {
    await connection.ready(patience);
    return undefined;
  } catch (error) {
    if (patience.signal?.aborted !== true && HoltError.is(error)) return error;
    throw error;
  }
}

function ambiguous(tool: string, matches: readonly string[]): HoltError {
  return new HoltError(
    'tool-ambiguous',
    `"${tool}" can mean ${matches.join(' or ')}`,
    { tool, matches },
    { remedy: 'Use one of these names.' },
  );
}

function changed(name: string, { server, tool, changes }: WithheldTool): HoltError {
  return new HoltError(
    'tool-changed',
    `The tool ${name} is not what it was when it was accepted`,
    { server, tool, changes },
    {
      remedy: `Look at it with holt pin diff, and take it as it is now: holt pin accept ${shellWord(`${server}.${tool}`)}`,
    },
  );
}

/** A server chooses what its tools are called, and somebody will paste this. */
function shellWord(text: string): string {
  return /^[\w.@:/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
