/** Where an entry goes: the file, the shelf in it, and the words to use there. */

import { formatOf } from '../../agents/places.ts';
import type { AgentFormat } from '../../agents/agent-format.ts';
import { looksLikeEntry } from '../../agents/server-map.ts';
import { allAgents } from '../../agents/all-agents.ts';
import type { Path } from '../../documents/edit-document.ts';
import { get, type DocFormat, type DocNode } from '../../documents/tree.ts';
import type { AgentId } from '../../kernel/agent-ids.ts';
import type { Machine } from '../../kernel/machine.ts';
import type { Files } from '../../platform/files.ts';
import type { Spelling } from './spelling.ts';

/** Scopes that can be written to. */
export const writeScopes = ['user', 'project', 'local'] as const;
export type WriteScope = (typeof writeScopes)[number];

/** What a writer may look at to find its file. */
export interface Look {
  readonly machine: Machine;
  readonly files: Pick<Files, 'exists'>;
}

/** Places in a file that hold servers, the one for new ones first. */
export interface Shelf {
  readonly kind: 'map' | 'list';
  readonly paths: readonly Path[];
  /** Why nothing is added here, though servers may be in it. */
  readonly refusal?: string;
}

export interface Target {
  readonly file: string;
  readonly format: DocFormat;
  readonly reader: AgentFormat;
  readonly shelf: (root: DocNode | undefined) => Shelf;
  readonly spellingAt: (path: Path) => Spelling;
  /** What a new file begins with. */
  readonly start?: string;
}

export interface AgentWriter {
  readonly agent: AgentId;
  readonly scopes: readonly WriteScope[];
  /** `scope` is one of `scopes`. */
  readonly target: (scope: WriteScope, look: Look) => Target | undefined;
  /** The words for an entry that already stands at `path` in one of the agent's files. */
  readonly spellingAt: (path: Path) => Spelling;
}

type Place = (look: Look) => string;
export type Places = Readonly<Partial<Record<WriteScope, Place>>>;

export interface WriterRow {
  readonly agent: AgentId;
  readonly places: Places;
  readonly spelling: Spelling;
  /** Where servers may stand, the usual place first; `mcpServers` when left out. */
  readonly keys?: readonly Path[];
  /** Instead of `keys`, where a file says by its looks how it keeps servers. */
  readonly shelf?: Target['shelf'];
}

/** A writer that is fully described by its files, its keys and its words. */
export function writerOfRow({ agent, places, spelling, ...row }: WriterRow): AgentWriter {
  const shelf = row.shelf ?? mapShelf(row.keys ?? [['mcpServers']]);
  const spellingAt = (): Spelling => spelling;
  return {
    agent,
    scopes: writeScopes.filter((scope) => places[scope] !== undefined),
    spellingAt,
    target: (scope, look) => {
      const file = places[scope]?.(look);
      if (file === undefined) return undefined;
      return { file, format: formatOf(file), reader: readerOf(agent), shelf, spellingAt };
    },
  };
}

/** A map under the first of several keys that is there, else under the first. */
export function mapShelf(keys: readonly Path[]): (root: DocNode | undefined) => Shelf {
  return (root) => {
    const present = keys.filter((path) => nodeAt(root, path) !== undefined);
    return { kind: 'map', paths: present.length === 0 ? keys.slice(0, 1) : present };
  };
}

/**
 * For files that several agents have their own idea of: under the first wrapper there is, else bare at the root. A new
 * key beside servers that stand elsewhere would hide those from everybody who takes the first key there is.
 */
export function sniffedShelf(wrappers: readonly Path[]): (root: DocNode | undefined) => Shelf {
  return (root) => {
    const isWrapper = (path: Path): boolean => {
      const node = nodeAt(root, path);
      return node !== undefined && !looksLikeEntry(node);
    };
    const wrapper = wrappers.find(isWrapper);
    const isBare = root?.kind === 'object' && root.entries.some(({ value }) => looksLikeEntry(value));
    const path = wrapper ?? (isBare ? [] : wrappers[0]);
    return { kind: 'map', paths: path === undefined ? [] : [path] };
  };
}

export function nodeAt(root: DocNode | undefined, path: Path): DocNode | undefined {
  let node = root;
  for (const key of path) {
    if (typeof key === 'string') node = get(node, key);
    else node = node?.kind === 'array' ? node.items[key] : undefined;
  }
  return node;
}

export function readerOf(agent: AgentId): AgentFormat {
  const format = allAgents.find(({ id }) => id === agent);
  if (format === undefined) throw new RangeError(`no reader for ${agent}`);
  return format;
}

/** Below the project's root: the first that exists, else the first. Paths have slashes. */
export function inProject(...choices: readonly string[]): Place {
  return (look) => firstExisting(look, look.machine.projectRoot, choices);
}

export function inHome(...choices: readonly string[]): Place {
  return (look) => firstExisting(look, look.machine.homeDir, choices);
}

export function firstExisting(
  { machine, files: disk }: Look,
  folder: string,
  choices: readonly string[],
): string {
  const files = choices.map((choice) => machine.path.join(folder, ...choice.split('/')));
  return files.find((file) => disk.exists(file)) ?? files[0] ?? folder;
}

/**
 * One of the user's files that the agent itself looks at, by its name: the strongest that exists, else the strongest
 * whose folder exists, else the strongest.
 */
export function whereAgentLooks(agent: AgentId, name: RegExp): Place {
  return ({ machine, files: disk }) => {
    const files = readerOf(agent)
      .locate(machine)
      .filter(
        ({ scope, each, path }) =>
          scope === 'user' && each === undefined && name.test(machine.path.basename(path)),
      )
      .map(({ path }) => path);
    const inFolder = files.findLast((file) => disk.exists(machine.path.dirname(file)));
    return files.findLast((file) => disk.exists(file)) ?? inFolder ?? files.at(-1) ?? machine.homeDir;
  };
}
