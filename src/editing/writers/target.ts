/** Where an entry goes: the file, the map or list in it, and the spelling to use there. */

import { formatOf } from '../../agents/places.ts';
import type { AgentFormat } from '../../agents/agent-format.ts';
import { looksLikeEntry } from '../../agents/server-map.ts';
import { allAgents } from '../../agents/all-agents.ts';
import type { Path } from '../../documents/edit-document.ts';
import { get, type DocFormat, type DocNode } from '../../documents/tree.ts';
import type { AgentId } from '../../kernel/agent-ids.ts';
import type { Machine } from '../../kernel/machine.ts';
import type { Files } from '../../platform/files/files.ts';
import type { Spelling } from './spelling.ts';

/** Scopes that can be written to. */
export const writeScopes = ['user', 'project', 'local'] as const;
export type WriteScope = (typeof writeScopes)[number];

/** What a writer may use to find its file. */
export interface Look {
  readonly machine: Machine;
  readonly files: Pick<Files, 'exists'>;
}

/** The places in a file that hold servers, the one for new servers first. */
export interface Shelf {
  readonly kind: 'map' | 'list';
  readonly paths: readonly Path[];
  /** Why nothing may be added here, although there may be servers in it. */
  readonly refusal?: string;
}

export interface Target {
  readonly file: string;
  readonly format: DocFormat;
  readonly reader: AgentFormat;
  readonly shelf: (root: DocNode | undefined) => Shelf;
  readonly spellingAt: (path: Path) => Spelling;
  /** The initial content of a new file. */
  readonly start?: string;
}

export interface AgentWriter {
  readonly agent: AgentId;
  readonly scopes: readonly WriteScope[];
  /** `scope` is one of `scopes`. */
  readonly target: (scope: WriteScope, look: Look) => Target | undefined;
  /** The spelling of an existing entry at `path` in one of the agent's files. */
  readonly spellingAt: (path: Path) => Spelling;
}

type Place = (look: Look) => string;
export type Places = Readonly<Partial<Record<WriteScope, Place>>>;

export interface WriterRow {
  readonly agent: AgentId;
  readonly places: Places;
  readonly spelling: Spelling;
  /** Paths that may hold servers, the usual one first; `mcpServers` by default. */
  readonly keys?: readonly Path[];
  /** Used instead of `keys` when the content of the file determines where its servers are. */
  readonly shelf?: Target['shelf'];
}

/** Creates a writer that its files, its keys and its spelling describe completely. */
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

/** Maps under those of the keys that exist, or under the first key when none does. */
export function mapShelf(keys: readonly Path[]): (root: DocNode | undefined) => Shelf {
  return (root) => {
    const present = keys.filter((path) => nodeAt(root, path) !== undefined);
    return { kind: 'map', paths: present.length === 0 ? keys.slice(0, 1) : present };
  };
}

/**
 * For files that agents interpret differently: uses the first wrapper that exists, otherwise the root if it
 * holds bare entries, otherwise the first wrapper. A new wrapper beside existing servers would hide those from
 * agents that take the first wrapper they find.
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

/** Returns a file below the project root: the first that exists, otherwise the first. Paths have slashes. */
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
 * Returns a user file of that name that the agent itself reads: the one with the highest precedence that
 * exists, otherwise the one whose folder exists, otherwise the one with the highest precedence.
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
