/** Field-by-field merge of entries, for the agents that build one server out of several files. */

import type { DocNode, ObjectEntry, ObjectNode } from '../documents/tree.ts';

/** `over` on top of `under`: objects are merged, everything else is replaced. Positions are those of the winning parts. */
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

/** The field by which an entry switches itself, in whichever of the common words. */
export function switchField({ entries }: ObjectNode): ObjectEntry | undefined {
  return entries.findLast(({ key }) => switchWords.has(key));
}

/** True for an entry that only switches a server off: it may do so whoever wrote it. */
export function isSwitchOff(node: ObjectNode): boolean {
  const [only, ...others] = node.entries;
  if (only === undefined || others.length > 0 || only.value.kind !== 'boolean') return false;
  return (only.key === 'enabled' && !only.value.value) || (only.key === 'disabled' && only.value.value);
}
