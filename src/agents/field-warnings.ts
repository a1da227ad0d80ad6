/**
 * Reports fields that users bring along from other agents, values that this agent treats in its own way, and values
 * that are commands: they stay text while reading, and run later.
 */

import { get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { EntryContext, Report } from './agent-format.ts';

export interface FieldWarning {
  readonly key: string;
  /** Only this value is reported; any value if omitted. */
  readonly value?: boolean;
  readonly code: 'agent-ignores' | 'agent-refuses' | 'not-evaluated';
  readonly message: string;
  readonly remedy?: string;
}

export function reportFieldWarnings(
  node: ObjectNode,
  context: EntryContext,
  warnings: readonly FieldWarning[],
): void {
  for (const { key, value, ...complaint } of warnings) {
    const found = get(node, key);
    if (found === undefined || found.kind === 'null') continue;
    if (value !== undefined && !(found.kind === 'boolean' && found.value === value)) continue;
    context.report({ severity: 'warning', at: found.start, ...complaint });
  }
}

/** holt loads no files of variables: their contents would reach a server without being shown. */
export const envFileWarning: FieldWarning = {
  key: 'envFile',
  code: 'not-evaluated',
  message: '"envFile" is not read: holt loads no files of variables',
  remedy: 'Put the variables in "env", or set them in the environment.',
};

/** For agents that switch servers on and off outside the file. */
export function switchWarnings(label: string): readonly FieldWarning[] {
  const note = (key: string, value: boolean): FieldWarning => ({
    key,
    value,
    code: 'agent-ignores',
    message: `${label} does not look at "${key}": the server is on`,
    remedy: `Switch it off in ${label} itself, or remove it here.`,
  });
  return [note('disabled', true), note('enabled', false)];
}

const nonStrings: ReadonlySet<string> = new Set(['number', 'boolean', 'null']);

/**
 * Reports values other than strings in maps where an agent accepts only strings; holt converts them. `outcome`
 * is the agent's reaction, as worded in the message: "Claude Code skips this server".
 */
export function reportNonStrings(
  node: ObjectNode,
  context: EntryContext,
  keys: readonly string[],
  outcome: string,
): void {
  for (const key of keys) {
    const map = get(node, key);
    // Lists and objects are reported where they are dropped.
    const odd =
      map?.kind === 'object' ? map.entries.find(({ value }) => nonStrings.has(value.kind)) : undefined;
    if (odd === undefined) continue;
    context.report({
      severity: 'warning',
      code: 'agent-refuses',
      at: odd.value.start,
      message: `${outcome}: "${key}.${odd.key}" is not a string`,
      remedy: 'Put it in quotes.',
    });
  }
}

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
