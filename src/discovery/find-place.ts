/**
 * Where a text of a definition stands. An entry may be long, and a mixture's texts come from several files.
 * Nothing is indexed before somebody asks, and then once: a hostile file has many entries and many texts.
 */

import type { ConfigFile, RawEntry } from '../agents/agent-format.ts';
import type { DocNode, Position } from '../documents/tree.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { ReadLayer } from './read-layer.ts';

export interface Place extends Position {
  readonly file: string;
}

/** Undefined when no value of the entry is that text: an agent's reader may have taken it apart. */
export type FindPlace = (definition: ServerDefinition, text: string) => Place | undefined;

interface Entry {
  readonly file: ConfigFile;
  readonly entry: RawEntry;
  texts?: ReadonlyMap<string, number>;
}

/** Weakest layer first in; of several places the strongest file's. */
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

/** Each text and where it first stands. */
function textsIn(node: DocNode, texts = new Map<string, number>()): ReadonlyMap<string, number> {
  if (node.kind === 'string' && !texts.has(node.value)) texts.set(node.value, node.start);
  if (node.kind === 'array') for (const item of node.items) textsIn(item, texts);
  if (node.kind === 'object') for (const { value } of node.entries) textsIn(value, texts);
  return texts;
}
