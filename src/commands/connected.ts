/**
 * Commands that start or stop servers, each loaded on first use. They form a bundle of their own, so that
 * commands that only read files do not load their code.
 */

import type { Command, CommandContext } from './command.ts';
import type { TriedEntry } from './entries/tried-entry.ts';

type Connected =
  | 'auth'
  | 'call'
  | 'logout'
  | 'logs'
  | 'pin'
  | 'policy'
  | 'prompt'
  | 'prompts'
  | 'ps'
  | 'read'
  | 'reap'
  | 'reauth'
  | 'repl'
  | 'resources'
  | 'search'
  | 'serve'
  | 'status'
  | 'test'
  | 'tools';

export const connected: Readonly<Record<Connected, () => Promise<Command>>> = {
  auth: async () => (await import('./auth.ts')).auth,
  call: async () => (await import('./call.ts')).call,
  logout: async () => (await import('./auth.ts')).logout,
  logs: async () => (await import('./logs.ts')).logs,
  pin: async () => (await import('./pin.ts')).pin,
  policy: async () => (await import('./policy.ts')).policy,
  prompt: async () => (await import('./prompts.ts')).prompt,
  prompts: async () => (await import('./prompts.ts')).prompts,
  ps: async () => (await import('./process-commands.ts')).ps,
  read: async () => (await import('./resources.ts')).read,
  reap: async () => (await import('./process-commands.ts')).reap,
  reauth: async () => (await import('./auth.ts')).reauth,
  repl: async () => (await import('./repl.ts')).repl,
  resources: async () => (await import('./resources.ts')).resources,
  search: async () => (await import('./tools.ts')).search,
  serve: async () => (await import('./serve.ts')).serve,
  status: async () => (await import('./status.ts')).status,
  test: async () => (await import('./status.ts')).test,
  tools: async () => (await import('./tools.ts')).tools,
};

export async function tryEntry(
  entry: { readonly server: string; readonly file: string },
  context: CommandContext,
): Promise<TriedEntry> {
  return (await import('./entries/try-entry.ts')).tryEntry(entry, context);
}
