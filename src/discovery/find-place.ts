/**
 * Locates a string of a definition in its source file. An entry may be long, and the strings of a merged
 * definition come from several files. Each index is built once, at its first use: a hostile file has many
 * entries and strings.
 */

import type { ConfigFile, RawEntry } from '../agents/agent-format.ts';
import type { DocNode, Position } from '../documents/tree.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { ReadLayer } from './read-layer.ts';

export interface Place extends Position {
  readonly file: string;
}

/**
 * Returns `undefined` if no value of the entry equals the string: the agent's reader may have split a value.
 */
export type FindPlace = (definition: ServerDefinition, text: string) => Place | undefined;

interface Entry {
  readonly file: ConfigFile;
  readonly entry: RawEntry;
  texts?: ReadonlyMap<string, number>;
}

/** Takes layers weakest first. If several files contain the string, returns the place in the strongest. */
export function createFindPlace(layers: readonly ReadLayer[]): FindPlace {
  let byName: ReadonlyMap<string, readonly Entry[]> | undefined;
  return ({ name, parts }, text) => {
    byName ??= indexByName(layers);
    for (const one of byName.get(name) ?? []) {
      const { file, entry } = one;
      const { line, column } = file.position(entry.at);
      const isPart = parts.some(
        (part) => part.file === file.path && part.line === line && part.column === column,
      );
      if (!isPart) continue;
      one.texts ??= textsIn(entry.node);
      const start = one.texts.get(text);
      if (start !== undefined) return { file: file.path, ...file.position(start) };
    }
    return undefined;
  };
}

function indexByName(layers: readonly ReadLayer[]): ReadonlyMap<string, readonly Entry[]> {
  const byName = new Map<string, Entry[]>();
  for (const { file, layer } of layers.toReversed()) {
    for (const entry of layer.entries) {
      const list = byName.get(entry.name);
      if (list === undefined) byName.set(entry.name, [{ file, entry }]);
      else list.push({ file, entry });
    }
  }
  return byName;
}

/** Returns each string with the offset of its first occurrence. */
function textsIn(node: DocNode, texts = new Map<string, number>()): ReadonlyMap<string, number> {
  if (node.kind === 'string' && !texts.has(node.value)) texts.set(node.value, node.start);
  if (node.kind === 'array') for (const item of node.items) textsIn(item, texts);
  if (node.kind === 'object') for (const { value } of node.entries) textsIn(value, texts);
  return texts;
}
