/** Reads layouts that store servers in a list, each with its name inside, and lists of names. */

import { dig, get, type DocNode } from '../documents/tree.ts';
import type { ConfigFile, Layer, ListedName, RawEntry, Switches } from './agent-format.ts';
import { entriesOf, isObjectFile, looksLikeEntry, sniffedLayer } from './server-map.ts';

/** Returns an item's name, or an empty string if it has none. */
type Naming = (item: DocNode, index: number) => string;

/** Returns the entries of the list at `keys`. Reports a problem if the value is not a list. */
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
    const message = `"${where}" must be a list of servers, but is ${list.kind === 'object' ? 'an object' : `a ${list.kind}`}`;
    file.report({ severity: 'error', code: 'file-shape', at: list.start, message });
    return [];
  }
  return list.items.map((item, index) => ({
    // An item that is not an object is refused later, under the name of its position in the list.
    name: item.kind === 'object' ? naming(item, index) : `${where}[${index}]`,
    node: item,
    at: item.start,
  }));
}

export function ownName(item: DocNode): string {
  const name = get(item, 'name');
  return name?.kind === 'string' || name?.kind === 'number' ? String(name.value) : '';
}

/** Returns the strings of the list at `keys`, each with its offset. */
export function namesAt(root: DocNode | undefined, keys: readonly string[]): readonly ListedName[] {
  return namesIn(dig(root, keys));
}

export function namesIn(list: DocNode | undefined): readonly ListedName[] {
  if (list?.kind !== 'array') return [];
  return list.items.flatMap((item) => (item.kind === 'string' ? [{ name: item.value, at: item.start }] : []));
}

/** Reads a list of the only servers that are on. An empty list counts as no list. */
export function onlyAt(root: DocNode | undefined, keys: readonly string[]): Pick<Switches, 'only'> {
  const list = dig(root, keys);
  const names = namesIn(list).map(({ name }) => name);
  return list === undefined || names.length === 0 ? {} : { only: { names, at: list.start } };
}

const places = [['mcpServers'], ['mcp_servers'], ['mcp', 'servers'], ['servers']] as const;

/**
 * Reads the first of the usual keys that has servers below it, as a map or as a list; else a bare map.
 * Reports nothing for other content.
 */
export function sniffedSettings(file: ConfigFile): Layer {
  if (file.root?.kind !== 'object') return { entries: [] };
  for (const keys of places) {
    const found = dig(file.root, keys);
    if (found === undefined || !holdsServers(found)) continue;
    const where = keys.join('.');
    return {
      entries:
        found.kind === 'array' ? entriesOfList(file, found, where, nameOf) : entriesOf(file, found, where),
    };
  }
  return sniffedLayer(file, []);
}

function holdsServers(node: DocNode): boolean {
  if (node.kind === 'array') return node.items.some(looksLikeEntry);
  if (node.kind !== 'object') return false;
  const isServer: boolean = looksLikeEntry(node);
  return !isServer && node.entries.some(({ value }) => looksLikeEntry(value));
}

/** Lists of this kind do not always contain names. */
function nameOf(item: DocNode, index: number): string {
  return ownName(item) || `server-${index + 1}`;
}
