/** Settings of programs about which only the place is known: servers are taken where they can be told from the rest. */

import { dig, type DocNode } from '../documents/tree.ts';
import type { ConfigFile, Layer } from './agent-format.ts';
import { entriesOfList, ownName } from './server-list.ts';
import { entriesOf, looksLikeEntry, sniffedLayer } from './server-map.ts';

const places = [['mcpServers'], ['mcp_servers'], ['mcp', 'servers'], ['servers']] as const;

/** The first of the usual keys with servers below it, as a map or as a list; else a bare map. Anything else is no problem. */
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

/** Lists of this kind do not always give names. */
function nameOf(item: DocNode, index: number): string {
  return ownName(item) || `server-${index + 1}`;
}
