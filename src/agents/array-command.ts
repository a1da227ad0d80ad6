/** Supports agents that write a command line as one list: `"command": ["npx", "-y", "x"]`. */

import { get, type ArrayNode, type ObjectEntry, type ObjectNode } from '../documents/tree.ts';

/** Splits the list into `command` and `args`. Returns an entry without such a list unchanged. */
export function splitCommand(node: ObjectNode): ObjectNode {
  const list = get(node, 'command');
  if (list?.kind !== 'array') return node;
  const [program, ...rest] = list.items;
  if (program === undefined) return node;
  const args: ArrayNode = { kind: 'array', start: list.start, end: list.end, items: rest };
  const others = node.entries.filter(({ key }) => key !== 'command' && key !== 'args');
  const parts: ObjectEntry[] = [
    { key: 'command', keyStart: program.start, value: program },
    { key: 'args', keyStart: list.start, value: args },
  ];
  return { ...node, entries: [...others, ...parts] };
}
