/**
 * Finds a field that appears twice in an entry:
 * a person who reads the first one and approves would get the last one. Pure.
 */

import type { DocNode, ObjectEntry } from '../documents/tree.ts';

/** Returns the second of two equal keys in one object, at any depth. */
export function repeatedKey(node: DocNode): ObjectEntry | undefined {
  if (node.kind === 'array') return firstOf(node.items, repeatedKey);
  if (node.kind !== 'object') return undefined;
  return twiceAmong(node.entries) ?? firstOf(node.entries, ({ value }) => repeatedKey(value));
}

function twiceAmong(entries: readonly ObjectEntry[]): ObjectEntry | undefined {
  const keys = new Set<string>();
  for (const entry of entries) if (keys.size === keys.add(entry.key).size) return entry;
  return undefined;
}

function firstOf<Item>(
  items: readonly Item[],
  look: (item: Item) => ObjectEntry | undefined,
): ObjectEntry | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
