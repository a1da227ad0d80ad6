/** Finds a field that stands twice in an entry: who reads the first one and approves gets the last one. Pure. */

import type { DocNode, ObjectEntry } from '../documents/tree.ts';

/** The later one of the two, at any depth. */
export function repeatedKey(node: DocNode): ObjectEntry | undefined {
  if (node.kind === 'array') return firstIn(node.items);
  if (node.kind !== 'object') return undefined;
  const keys = new Set<string>();
  for (const entry of node.entries) {
    if (keys.has(entry.key)) return entry;
    keys.add(entry.key);
  }
  return firstIn(node.entries.map(({ value }) => value));
}

function firstIn(nodes: readonly DocNode[]): ObjectEntry | undefined {
  for (const node of nodes) {
    const found = repeatedKey(node);
    if (found !== undefined) return found;
  }
  return undefined;
}
