/** Merges entries field by field, finds their switch, and finds fields that appear twice. Pure. */

import type { DocNode, ObjectEntry, ObjectNode } from '../documents/tree.ts';

/**
 * Merges `over` onto `under`: objects are merged, and all other values are replaced.
 * Positions are those of the winning parts.
 */
export function mergeNodes(under: ObjectNode, over: ObjectNode): ObjectNode {
  const entries = new Map<string, ObjectEntry>();
  for (const entry of under.entries) entries.set(entry.key, entry);
  for (const entry of over.entries) {
    const below = entries.get(entry.key);
    entries.set(
      entry.key,
      below === undefined ? entry : { ...entry, value: mergeValues(below.value, entry.value) },
    );
  }
  return { kind: 'object', start: over.start, end: over.end, entries: [...entries.values()] };
}

function mergeValues(under: DocNode, over: DocNode): DocNode {
  return under.kind === 'object' && over.kind === 'object' ? mergeNodes(under, over) : over;
}

const switchWords: ReadonlySet<string> = new Set(['enabled', 'disabled', 'enable']);

/** Returns the field that switches an entry on or off, under any of its common names. */
export function switchField({ entries }: ObjectNode): ObjectEntry | undefined {
  return entries.findLast(({ key }) => switchWords.has(key));
}

/** True for an entry that only switches a server off, which any file may do. */
export function isSwitchOff(node: ObjectNode): boolean {
  const [only, ...others] = node.entries;
  if (only === undefined || others.length > 0 || only.value.kind !== 'boolean') return false;
  return (only.key === 'enabled' && !only.value.value) || (only.key === 'disabled' && only.value.value);
}

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
