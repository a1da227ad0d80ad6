/** Hints for commands of other tools that holt does not have. */

import type { CommandContext, CommandInput } from './command.ts';

const hints: Readonly<Record<string, string>> = {
  reject: 'holt trust NAME asks about the entry; the answer d denies it for good.',
  deny: 'holt trust NAME asks about the entry; the answer d denies it for good.',
  reconnect: 'holt test NAME connects once; in holt repl, /mcp reload NAME connects again.',
  restart: 'holt test NAME starts it once; in holt repl, /mcp reload NAME starts it again.',
  reload: 'Every command reads the files again; in holt repl, /mcp reload does.',
  rename: 'holt get NAME shows the file and line; change the name there.',
  edit: 'holt get NAME shows the file and line; holt add NAME --replace … writes the entry again.',
  update: 'holt add NAME --replace … writes the entry again.',
  install: 'holt add NAME -- COMMAND ARGS… adds a server.',
  uninstall: 'holt remove NAME removes a server.',
  debug: 'holt test NAME shows every step of a connection, holt logs NAME what the server wrote.',
  inspect: 'holt get NAME shows the entry, holt tools NAME what it offers.',
};

/** Returns what to use instead of an unknown command. Undefined if there is no hint for it. */
export function commandHint(word: string): string | undefined {
  return Object.hasOwn(hints, word) ? hints[word] : undefined;
}

/** Treats `holt tools list` as `holt tools`, unless a server has that name. */
export async function withoutListWord(
  input: CommandInput,
  context: Pick<CommandContext, 'loadRoster'>,
): Promise<CommandInput> {
  const [word = '', ...others] = input.positionals;
  if (others.length > 0 || !['list', 'ls'].includes(word)) return input;
  const { servers, shadowed } = await context.loadRoster();
  const isServer = [...servers, ...shadowed].some(({ ref }) => ref === word);
  return isServer ? input : { ...input, positionals: [] };
}
