/** Rewrites entries to another spelling before they are read. Values keep their offsets in the file. */

import { get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { EntryContext, EntryReading } from './agent-format.ts';
import { splitCommand } from './array-command.ts';
import { firstPresent } from './fields.ts';
import { readShape, refuse, type ServerShape } from './server-shape.ts';

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

/**
 * For agents that write the program and its arguments as one list. If the command is a list, `args` is
 * ignored; if it is one string, it is read as for other agents.
 */
export function readListShape(
  node: ObjectNode,
  shape: ServerShape,
  context: EntryContext,
): EntryReading | undefined {
  const command = get(node, 'command');
  if (command?.kind !== 'array') return readShape(node, shape, context);
  const [program] = command.items;
  if (program?.kind !== 'string' || program.value.trim() === '') {
    const urls = shape.urls?.map(({ key }) => key) ?? ['url'];
    if (firstPresent(node, urls) !== undefined) return readShape(dropKeys(node, ['command']), shape, context);
    return refuse(
      context,
      command.start,
      '"command" is a list that does not begin with a program',
      'Write ["program", "argument"].',
    );
  }
  return readShape(splitCommand(node), shape, context);
}
