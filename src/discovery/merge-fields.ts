/** Merges entries field by field, for the agents that build one server from several files. */

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
