/** The table of all commands, each loaded on first use, in the order of the help. */

import type { Command, CommandRow } from './command.ts';

function row<Data>(
  name: string,
  summary: string,
  load: () => Promise<Command<Data>>,
  aliases: readonly string[] = [],
): CommandRow {
  return { name, summary, aliases, load };
}

/**
 * A command that does what another one does. It has help and completion, but the list of commands omits it.
 */
function synonym<Data>(name: string, summary: string, load: () => Promise<Command<Data>>): CommandRow {
  return { ...row(name, summary, load), synonym: true };
}

export const commandTable: readonly CommandRow[] = [
  row(
    'overview',
    'Every server found, and what to do next',
    async () => (await import('./overview.ts')).overview,
  ),
  row('list', 'The servers as a plain table', async () => (await import('./list.ts')).list, [
    'ls',
    'discover',
  ]),
  row(
    'get',
    'One server: where it comes from and what it would run',
    async () => (await import('./get.ts')).get,
    ['show'],
  ),
  row('add', 'Add a server to an agent’s config file', async () => (await import('./add.ts')).add),
  row('add-json', 'Add a server given as JSON', async () => (await import('./add.ts')).addJson),
  row(
    'import',
    'Copy servers from one agent’s format into another’s',
    async () => (await import('./import.ts')).importCommand,
  ),
  synonym(
    'add-from-claude-desktop',
    'The same as import --from claude-desktop',
    async () => (await import('./synonyms.ts')).addFromClaudeDesktop,
  ),
  row(
    'remove',
    'Take a server out of the file it came from',
    async () => (await import('./edit-commands.ts')).remove,
    ['rm', 'delete'],
  ),
  row('enable', 'Switch a server on', async () => (await import('./edit-commands.ts')).enable),
  row('disable', 'Switch a server off', async () => (await import('./edit-commands.ts')).disable),
  row(
    'undo',
    'Take back the last change to a config file',
    async () => (await import('./edit-commands.ts')).undo,
  ),
  row(
    'trust',
    'Look at what a project wants to run, and approve or deny it',
    async () => (await import('./trust.ts')).trust,
    ['approve'],
  ),
  row(
    'pin',
    'Show tools that changed since they were accepted, and accept them',
    async () => (await import('./pin.ts')).pin,
  ),
  row(
    'doctor',
    'What is wrong with the config files, and how to fix it',
    async () => (await import('./doctor.ts')).doctor,
  ),
  synonym(
    'agents',
    'The agents whose config files are here',
    async () => (await import('./synonyms.ts')).agents,
  ),
  row(
    'status',
    'Connect to the servers and show the status of each',
    async () => (await import('./status.ts')).status,
  ),
  row(
    'test',
    'Connect to one server once, and show how long each phase takes',
    async () => (await import('./status.ts')).test,
  ),
  row(
    'auth',
    'Log in to a remote server, or list the stored logins',
    async () => (await import('./auth.ts')).auth,
    ['login'],
  ),
  row('reauth', 'Forget a login and log in again', async () => (await import('./auth.ts')).reauth),
  row(
    'logout',
    'Forget a login, and revoke it where the provider can',
    async () => (await import('./auth.ts')).logout,
    ['unauth'],
  ),
  row(
    'tools',
    'The tools that can be called, with their arguments',
    async () => (await import('./tools.ts')).tools,
  ),
  synonym(
    'search',
    'The tools that match some words, best first',
    async () => (await import('./tools.ts')).search,
  ),
  row('call', 'Call a tool', async () => (await import('./call.ts')).call),
  row('resources', 'The resources that can be read', async () => (await import('./resources.ts')).resources),
  row('read', 'Read a resource', async () => (await import('./resources.ts')).read),
  row('prompts', 'The prompts that servers offer', async () => (await import('./prompts.ts')).prompts),
  row('prompt', 'Get one prompt, filled in', async () => (await import('./prompts.ts')).prompt),
  row(
    'policy',
    'Whether a tool may be called, and which rule says so',
    async () => (await import('./policy.ts')).policy,
  ),
  row('repl', 'Work with all servers in one session', async () => (await import('./repl.ts')).repl),
  row('serve', 'Serve the HTTP API and its events', async () => (await import('./serve.ts')).serve),
  row('logs', 'What a server wrote to stderr', async () => (await import('./processes.ts')).logs),
  row('ps', 'The server processes holt has started', async () => (await import('./processes.ts')).ps),
  row('reap', 'End server processes whose owner is gone', async () => (await import('./processes.ts')).reap),
  row('config', 'Read and change holt’s settings', async () => (await import('./config.ts')).config),
  row(
    'completion',
    'A script that completes names in your shell',
    async () => (await import('./completion.ts')).completion,
  ),
  synonym('version', 'The version of holt', async () => (await import('./synonyms.ts')).version),
];

export function findCommand(word: string): CommandRow | undefined {
  return commandTable.find(({ name, aliases }) => name === word || aliases.includes(word));
}

/** What to use instead of commands of other tools that holt does not have. */
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
