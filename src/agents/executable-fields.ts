/**
 * Reports values that are commands. They stay text while reading; the report tells users that they run later.
 */

import { get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { Report } from './agent-format.ts';

/** Reports each string below these keys for which `isCommand` returns true. */
export function reportCommands(
  node: ObjectNode,
  keys: readonly string[],
  isCommand: (text: string) => boolean,
  { report }: { readonly report: Report },
): void {
  for (const key of keys) {
    for (const { where, text, at } of textsOf(key, get(node, key))) {
      if (!isCommand(text)) continue;
      const message = `"${where}" is a command that runs when the server is connected`;
      report({ severity: 'info', code: 'field-executable', at, message });
    }
  }
}

interface Text {
  readonly where: string;
  readonly text: string;
  readonly at: number;
}

function textsOf(where: string, node: DocNode | undefined): readonly Text[] {
  if (node?.kind === 'string') return [{ where, text: node.value, at: node.start }];
  if (node?.kind === 'array') return node.items.flatMap((item, index) => textsOf(`${where}[${index}]`, item));
  if (node?.kind !== 'object') return [];
  return node.entries.flatMap(({ key, value }) => textsOf(`${where}.${key}`, value));
}

/**
 * `!command`. A string that starts with `!!` is not a command: it stands for text with one exclamation mark.
 */
export function isBangCommand(text: string): boolean {
  return text.startsWith('!') && !text.startsWith('!!');
}

/** `$(command)` anywhere in the text, as in a shell. */
export function holdsShellCommand(text: string): boolean {
  return text.includes('$(');
}
