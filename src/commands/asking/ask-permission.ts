/** Asks at a terminal whether a tool may be called, and shows all arguments that would be sent. */

import type { PermissionAnswer, PermissionQuestion } from '../../kernel/interaction.ts';
import { showLongText, showText } from './long-text.ts';

export interface PermissionAsking {
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly print: (lines: readonly string[]) => void;
}

const answers: ReadonlyMap<string, PermissionAnswer> = new Map([
  ['y', 'once'],
  ['yes', 'once'],
  ['r', 'run'],
  ['a', 'always'],
]);

export async function askPermission(
  { server, tool, name, title, arguments: given, reason }: PermissionQuestion,
  { ask, print }: PermissionAsking,
): Promise<PermissionAnswer> {
  const called = title === undefined ? '' : ` (${showText(title)})`;
  print([
    `Call ${showText(tool)}${called} of "${showText(server)}"?`,
    `  name: ${showText(name)}`,
    ...Object.entries(given).map(([key, value]) => `  ${showText(key)}: ${showLongText(textOf(value))}`),
    `  asked because: ${showText(reason)}`,
  ]);
  const line = await ask('Allow it? y = once, r = until holt ends, a = always, Enter = no [y/r/a/N]: ');
  return answers.get(line?.trim().toLowerCase() ?? '') ?? 'deny';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
