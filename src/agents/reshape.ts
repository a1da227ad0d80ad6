/** Rewrites entries to another spelling before they are read. Values keep their offsets in the file. */

import { get, type ArrayNode, type DocNode, type ObjectEntry, type ObjectNode } from '../documents/tree.ts';

export function dropKeys(node: ObjectNode, keys: readonly string[]): ObjectNode {
  return { ...node, entries: node.entries.filter(({ key }) => !keys.includes(key)) };
}

/** Sets the value of a key, and replaces any previous one. */
export function setKey(node: ObjectNode, key: string, value: DocNode): ObjectNode {
  const others = node.entries.filter((entry) => entry.key !== key);
  return { ...node, entries: [...others, { key, keyStart: value.start, value }] };
}

/** Renames keys. If the new name already exists, its value stays. */
export function renameKeys(node: ObjectNode, names: Readonly<Record<string, string>>): ObjectNode {
  return Object.entries(names).reduce((current, [from, to]) => {
    const value = get(current, from);
    if (value === undefined) return current;
    const rest = dropKeys(current, [from]);
    return get(rest, to) === undefined ? setKey(rest, to, value) : rest;
  }, node);
}

/** Splits a command that is one list (`["npx", "-y", "x"]`) into `command` and `args`. Returns an entry without such a list unchanged. */
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
