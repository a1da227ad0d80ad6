/** Layouts that keep servers in a list, each with its name inside, and short ways to read lists of names. */

import { dig, get, type DocNode } from '../documents/tree.ts';
import type { ConfigFile, Layer, RawEntry } from './agent-format.ts';
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

/** The texts of the list at `keys`; undefined when there is no list. */
export function namesAt(root: DocNode | undefined, keys: readonly string[]): readonly string[] | undefined {
  const list = dig(root, keys);
  if (list?.kind !== 'array') return undefined;
  return list.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []));
}
