/** Creates an agent's writer from its table of keys, the files for each scope, and the keys of its map of servers. */

import type { Path } from '../documents/edit-document.ts';
import { dig, type DocNode } from '../documents/tree.ts';
import {
  writeScopes,
  type AgentWriter,
  type EntryContainer,
  type FileLookup,
  type WriteScope,
  type WriteTarget,
} from './agent-format.ts';
import type { ServerShape } from './server-shape.ts';
import { formatOf } from './places.ts';
import { looksLikeEntry } from './server-map.ts';

/**
 * Paths with slashes, below the home folder for the scope `user` and below the project's root for the others:
 * the first that exists is used, otherwise the first. Or the name of the strongest of the agent's own user
 * files, or a function that returns the file.
 */
type FileChoice = readonly string[] | RegExp | ((lookup: FileLookup) => string);

export interface WriterOptions {
  readonly shape: ServerShape;
  readonly files: Readonly<Partial<Record<WriteScope, FileChoice>>>;
  /** Paths that may hold servers, the usual one first. Default: `mcpServers`. */
  readonly keys?: readonly Path[];
  /** Used instead of `keys` when the content of the file determines where its servers are. */
  readonly container?: WriteTarget['container'];
  /** The table of keys at a path, if it depends on the path. */
  readonly shapeAt?: WriteTarget['shapeAt'];
}

export function createWriter({ shape, files, ...options }: WriterOptions): AgentWriter {
  const container = options.container ?? mapAt(options.keys ?? [['mcpServers']]);
  const shapeAt = options.shapeAt ?? (() => shape);
  return {
    scopes: writeScopes.filter((scope) => files[scope] !== undefined),
    shapeAt: (path) => shapeAt(path.slice(0, -1)),
    target: (scope, lookup) => {
      const choice = files[scope];
      if (choice === undefined) return undefined;
      const file = fileOf(choice, scope, lookup);
      return { file, format: formatOf(file), container, shapeAt };
    },
  };
}

function fileOf(choice: FileChoice, scope: WriteScope, lookup: FileLookup): string {
  if (typeof choice === 'function') return choice(lookup);
  if (choice instanceof RegExp) return strongestFile(choice, lookup);
  const { homeDir, projectRoot } = lookup.machine;
  return firstExisting(lookup, scope === 'user' ? homeDir : projectRoot, choice);
}

/** Returns the first of the files in a folder that exists, otherwise the first. */
export function firstExisting(
  { machine, files: disk }: FileLookup,
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
function strongestFile(name: RegExp, { machine, files: disk, locate }: FileLookup): string {
  const { path: paths, homeDir } = machine;
  const files = locate(machine)
    .filter(
      ({ scope, each, path }) => scope === 'user' && each === undefined && name.test(paths.basename(path)),
    )
    .map(({ path }) => path);
  const inFolder = files.findLast((file) => disk.exists(paths.dirname(file)));
  return files.findLast((file) => disk.exists(file)) ?? inFolder ?? files.at(-1) ?? homeDir;
}

/** Maps under those of the keys that exist, or under the first key when none does. */
export function mapAt(keys: readonly Path[]): (root: DocNode | undefined) => EntryContainer {
  return (root) => {
    const present = keys.filter((path) => dig(root, path) !== undefined);
    return { kind: 'map', paths: present.length === 0 ? keys.slice(0, 1) : present };
  };
}

/**
 * For files that agents interpret differently: uses the first wrapper that exists, otherwise the root if it
 * holds bare entries, otherwise the first wrapper. A new wrapper beside existing servers would hide those from
 * agents that take the first wrapper they find.
 */
export function sniffedMapAt(wrappers: readonly Path[]): (root: DocNode | undefined) => EntryContainer {
  return (root) => {
    const isWrapper = (path: Path): boolean => {
      const node = dig(root, path);
      return node !== undefined && !looksLikeEntry(node);
    };
    const wrapper = wrappers.find(isWrapper);
    const isBare = root?.kind === 'object' && root.entries.some(({ value }) => looksLikeEntry(value));
    const path = wrapper ?? (isBare ? [] : wrappers[0]);
    return { kind: 'map', paths: path === undefined ? [] : [path] };
  };
}
