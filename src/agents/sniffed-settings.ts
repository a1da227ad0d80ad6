/**
 * Reads settings of programs whose file location is known but not their format:
 * takes servers where they are recognisable.
 */

import { dig, type DocNode } from '../documents/tree.ts';
import type { ConfigFile, Layer } from './agent-format.ts';
import { entriesOfList, ownName } from './server-list.ts';
import { entriesOf, looksLikeEntry, sniffedLayer } from './server-map.ts';

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
