/** The options of `holt add` and related commands, and helpers to read them. */

import { agentIdOf, agentIds, type AgentId } from '../../kernel/agent-ids.ts';
import { HoltError } from '../../kernel/errors.ts';
import { nearest } from '../../kernel/nearest.ts';
import { scopes, type Scope } from '../../kernel/servers.ts';
import { writableAgents, writeScopes, type WriteScope } from '../../editing/writers.ts';
import { type CommandInput, type OptionSpec, usage, valueOf } from '../command.ts';

export const placeOptions = {
  scope: {
    type: 'value',
    short: 's',
    placeholder: 'SCOPE',
    summary: 'project (unless given), user or local',
    completes: ['project', 'user', 'local'],
  },
  user: { type: 'flag', summary: 'the same as --scope user' },
  agent: {
    type: 'value',
    short: 'a',
    placeholder: 'AGENT',
    summary: 'write in this agent’s own format (holt unless given)',
    completes: 'agents',
  },
  yes: { type: 'flag', short: 'y', summary: 'do not ask' },
  trust: { type: 'flag', summary: 'also approve the entry' },
  replace: { type: 'flag', summary: 'rewrite an entry of that name' },
  'dry-run': { type: 'flag', summary: 'show what would be written, and write nothing' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export const serverOptions = {
  url: { type: 'value', placeholder: 'URL', aliases: ['mcp-http'], summary: 'a remote server' },
  transport: {
    type: 'value',
    short: 't',
    aliases: ['type'],
    placeholder: 'T',
    summary: 'stdio, http, sse or ws',
    completes: ['stdio', 'http', 'sse', 'ws'],
  },
  env: {
    type: 'value',
    short: 'e',
    aliases: ['mcp-env'],
    placeholder: 'K=V',
    repeatable: true,
    furtherValues: /^[A-Za-z_]\w*=/,
    summary: 'a variable for the program',
  },
  header: {
    type: 'value',
    short: 'H',
    aliases: ['mcp-header'],
    placeholder: '"K: V"',
    repeatable: true,
    furtherValues: /^[\w-]+(?::(?!\/\/)|=)/,
    summary: 'a header for the remote server',
  },
  timeout: { type: 'value', placeholder: 'MS', summary: 'how long a call may be silent' },
  'start-in': {
    type: 'value',
    placeholder: 'home|project',
    summary: 'where a server of yours starts, whether or not the project is trusted',
    completes: ['home', 'project'],
  },
  token: { type: 'value', placeholder: 'T', summary: 'a bearer token, saved in the credential store' },
  'bearer-token-env-var': {
    type: 'value',
    placeholder: 'NAME',
    summary: 'send the bearer token that is in this variable',
  },
  'client-id': { type: 'value', placeholder: 'ID', summary: 'the OAuth client to log in as' },
  'callback-port': { type: 'value', placeholder: 'PORT', summary: 'the port that the login returns to' },
  'include-tools': {
    type: 'value',
    placeholder: 'A,B',
    repeatable: true,
    summary: 'offer only these tools',
  },
  'exclude-tools': {
    type: 'value',
    placeholder: 'A,B',
    repeatable: true,
    summary: 'leave these tools out',
  },
  description: { type: 'value', placeholder: 'TEXT', summary: 'an entry has no description', hidden: true },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export interface Place {
  readonly scope: WriteScope;
  readonly agent: AgentId;
}

export function placeOf(input: CommandInput): Place {
  const scope = valueOf(input, 'scope') ?? (input.flags.has('user') ? 'user' : 'project');
  if (!isWriteScope(scope)) throw usage(`Invalid scope "${scope}"`, `Use ${writeScopes.join(', ')}.`);
  return { scope, agent: agentOf(valueOf(input, 'agent') ?? 'holt') };
}

function isWriteScope(text: string): text is WriteScope {
  return (writeScopes as readonly string[]).includes(text);
}

export function agentOf(word: string): AgentId {
  const id = agentIdOf(word);
  if (id !== undefined && writableAgents.includes(id)) return id;
  // A known agent name is not a typo, so suggest nothing.
  const near = id === undefined ? nearest(word, writableAgents) : undefined;
  const what = id !== undefined ? `holt does not write the files of ${id}` : `Unknown agent "${word}"`;
  throw usage(
    what,
    near === undefined ? `It writes for: ${writableAgents.join(', ')}.` : `Did you mean "${near}"?`,
  );
}

/** Returns the agent with this name or alias. Throws `agent-unknown`. */
export function readableAgent(word: string): AgentId {
  const id = agentIdOf(word);
  if (id !== undefined) return id;
  const near = nearest(word, agentIds);
  throw new HoltError(
    'agent-unknown',
    `Unknown agent "${word}"`,
    { agent: word, ...(near === undefined ? {} : { nearest: near }) },
    {
      remedy: near === undefined ? 'holt doctor -v lists the agents holt knows.' : `Did you mean "${near}"?`,
    },
  );
}

/** Returns the scope of this name, whether or not holt can write to it. Throws `usage-invalid`. */
export function readableScope(word: string): Scope {
  const scope = scopes.find((one) => one === word);
  if (scope !== undefined) return scope;
  throw usage(`Unknown scope "${word}".`, `Use one of: ${scopes.join(', ')}.`, word);
}

/** True for a URL of a remote server, which may be given in place of a command. */
export function isUrl(word: string): boolean {
  return /^(?:https?|wss?):\/\//i.test(word);
}

/**
 * Splits each word at the first separator and drops one space after it. Throws `usage-invalid` without a
 * name.
 */
export function pairs(
  words: readonly string[] | undefined,
  separator: RegExp,
  message: string,
): Record<string, string> {
  const found = (words ?? []).map((word) => {
    const at = word.search(separator);
    if (at <= 0) throw usage(message, 'Start with the name, which may not be empty.');
    return [word.slice(0, at).trim(), word.slice(at + 1).replace(/^ /, '')] as const;
  });
  return Object.fromEntries(found);
}
