/** Layouts that keep servers in a list, each with its name inside, and short ways to read lists of names. */

import { dig, get, type DocNode } from '../documents/tree.ts';
import type { ConfigFile, Layer, ListedName, RawEntry, Switches } from './agent-format.ts';
import { isObjectFile } from './server-map.ts';

/** How an item is called; an empty text when it does not say. */
type Naming = (item: DocNode, index: number) => string;

/** Entries of the list at `keys`; a problem when something else stands there. */
export function listLayer(file: ConfigFile, keys: readonly string[]): Layer {
  if (!isObjectFile(file)) return { entries: [] };
  return { entries: entriesOfList(file, dig(file.root, keys), keys.join('.')) };
}

export function entriesOfList(
  file: ConfigFile,
  list: DocNode | undefined,
  where: string,
  naming: Naming = ownName,
): readonly RawEntry[] {
  if (list === undefined || list.kind === 'null') return [];
  if (list.kind !== 'array') {
    const message = `"${where}" is ${list.kind === 'object' ? 'an object' : `a ${list.kind}`} where a list of servers belongs`;
    file.report({ severity: 'error', code: 'file-shape', at: list.start, message });
    return [];
  }
  return list.items.map((item, index) => ({
    // Something else than an object is refused later, by the place it has in the list.
    name: item.kind === 'object' ? naming(item, index) : `${where}[${index}]`,
    node: item,
    at: item.start,
  }));
}

export function ownName(item: DocNode): string {
  const name = get(item, 'name');
  return name?.kind === 'string' || name?.kind === 'number' ? String(name.value) : '';
}

/** The strings of the list at `keys`, each with its place. */
export function namesAt(root: DocNode | undefined, keys: readonly string[]): readonly ListedName[] {
  return namesIn(dig(root, keys));
}

export function namesIn(list: DocNode | undefined): readonly ListedName[] {
  if (list?.kind !== 'array') return [];
  return list.items.flatMap((item) => (item.kind === 'string' ? [{ name: item.value, at: item.start }] : []));
}

/** A list of the only servers that are on. An empty one is no list. */
export function onlyAt(root: DocNode | undefined, keys: readonly string[]): Pick<Switches, 'only'> {
  const list = dig(root, keys);
  const names = namesIn(list).map(({ name }) => name);
  return list === undefined || names.length === 0 ? {} : { only: { names, at: list.start } };
}
