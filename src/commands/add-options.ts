/** The options of `holt add` and its kin, and the server they describe. */

import { isAgentId, type AgentId } from '../kernel/agent-ids.ts';
import { HoltError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';
import { startChoices, type StartChoice } from '../kernel/servers.ts';
import { writableAgents, writeScopes, type WriteScope } from '../editing/writers.ts';
import { valueOf, type CommandInput, type OptionSpec } from './command.ts';

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
    summary: 'a variable for the program',
  },
  header: {
    type: 'value',
    short: 'H',
    aliases: ['mcp-header'],
    placeholder: '"K: V"',
    repeatable: true,
    summary: 'a header for the remote server',
  },
  timeout: { type: 'value', placeholder: 'MS', summary: 'how long a call may be silent' },
  'start-in': {
    type: 'value',
    placeholder: 'home|project',
    summary: 'where a server of yours starts, whether or not the project is trusted',
    completes: ['home', 'project'],
  },
  token: { type: 'value', placeholder: 'T', summary: 'a bearer token, kept in the credential store' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export interface Place {
  readonly scope: WriteScope;
  readonly agent: AgentId;
}

export function placeOf(input: CommandInput): Place {
  const scope = valueOf(input, 'scope') ?? (input.flags.has('user') ? 'user' : 'project');
  if (!isWriteScope(scope))
    throw usage(`"${scope}" is no scope that can be written`, `Use ${writeScopes.join(', ')}.`);
  return { scope, agent: agentOf(valueOf(input, 'agent') ?? 'holt') };
}

function isWriteScope(text: string): text is WriteScope {
  return (writeScopes as readonly string[]).includes(text);
}

export function agentOf(word: string): AgentId {
  if (isAgentId(word) && writableAgents.includes(word)) return word;
  const near = nearest(word, writableAgents);
  const what = isAgentId(word)
    ? `holt does not write the files of ${word}`
    : `"${word}" is no agent holt knows`;
  throw usage(
    what,
    near === undefined ? `It writes for: ${writableAgents.join(', ')}.` : `Did you mean "${near}"?`,
  );
}

/** Whatever can stand in the place of a command: a URL means a remote server. */
export function isUrl(word: string): boolean {
  return /^(?:https?|wss?):\/\//i.test(word);
}

/** The entry that the words describe, in holt's own shape. */
export function configOf(input: CommandInput): Record<string, unknown> {
  const { command, url } = targetOf(input);
  if (url !== undefined && command.length > 0)
    throw usage('Use either --url or -- <command...>, not both.', 'Leave one of the two out.');
  if (valueOf(input, 'token') !== undefined && url === undefined)
    throw usage('--token requires --url (HTTP/SSE transport).', 'Give --url, or leave --token out.');
  if (url === undefined && command.length === 0)
    throw usage('What should run? Give a command after --, or --url.', 'holt add NAME -- COMMAND ARGS…');
  refuseContradiction(input, url);
  return {
    ...(url === undefined ? programFields(command, input) : remoteFields(url, input)),
    ...timeoutFields(input),
  };
}

/** Where the server is to start, if the user said so. */
export function startChoiceOf(input: CommandInput): StartChoice | undefined {
  const word = valueOf(input, 'start-in');
  if (word === undefined) return undefined;
  const choice = startChoices.find((one) => one === word);
  if (choice === undefined)
    throw usage(`Unknown folder "${word}" for --start-in`, `Use one of: ${startChoices.join(', ')}.`);
  if (targetOf(input).url !== undefined)
    throw usage('--start-in is for programs; a remote server is not started', 'Leave --start-in out.');
  return choice;
}

/** Words for a transport that people bring from elsewhere; any other is told to be none when the entry is read. */
const programWords: ReadonlySet<string> = new Set(['stdio', 'local']);
const remoteWords = /^(?:http|sse|ws|websocket|remote|streamable[-_]?http)$/i;

function refuseContradiction(input: CommandInput, url: string | undefined): void {
  const transport = valueOf(input, 'transport');
  if (transport === undefined) return;
  if (url !== undefined && programWords.has(transport))
    throw usage(
      `--transport ${transport} and ${valueOf(input, 'url') === undefined ? 'a URL' : '--url'} contradict each other: ${transport} is for programs that run here`,
      'Leave --transport out for the remote server, or give a command after -- in place of the URL.',
    );
  if (url === undefined && remoteWords.test(transport))
    throw usage(
      `--transport ${transport} and a command contradict each other: ${transport} is for remote servers`,
      'Leave --transport out to run the command, or give --url in place of it.',
    );
}

/** What stands after the name: a URL, or a command and its arguments, with or without `--`. */
function targetOf(input: CommandInput): {
  readonly command: readonly string[];
  readonly url: string | undefined;
} {
  const [, ...words] = input.positionals;
  const written = words.find(isUrl) === words[0] ? words[0] : undefined;
  const command = [...(written === undefined ? words : words.slice(1)), ...(input.rest ?? [])];
  return { command, url: valueOf(input, 'url') ?? written };
}

function programFields([command, ...args]: readonly string[], input: CommandInput): Record<string, unknown> {
  if (input.values['header'] !== undefined)
    throw usage('--header is for remote servers; a program takes --env K=V', 'Leave --header out.');
  const env = pairs(input.values['env'], /=/, '--env takes K=V');
  const transport = valueOf(input, 'transport');
  return {
    ...(transport === undefined || transport === 'stdio' ? {} : { type: transport }),
    command,
    ...(args.length === 0 ? {} : { args }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
  };
}

function remoteFields(url: string, input: CommandInput): Record<string, unknown> {
  if (input.values['env'] !== undefined)
    throw usage('--env is for programs; a remote server takes --header "K: V"', 'Leave --env out.');
  const headers = pairs(input.values['header'], /[:=]/, '--header takes "K: V" or K=V');
  const transport = valueOf(input, 'transport') ?? (/^wss?:/i.test(url) ? 'ws' : 'http');
  return { type: transport, url, ...(Object.keys(headers).length === 0 ? {} : { headers }) };
}

function timeoutFields(input: CommandInput): Record<string, unknown> {
  const text = valueOf(input, 'timeout');
  if (text === undefined) return {};
  const timeout = Number(text);
  if (!Number.isInteger(timeout) || timeout < 0)
    throw usage(`--timeout takes milliseconds, not "${text}"`, 'For example --timeout 30000.');
  return { timeout };
}

/** Splits at the first separator; the value keeps the rest, without the blank that follows it. */
export function pairs(
  words: readonly string[] | undefined,
  separator: RegExp,
  message: string,
): Record<string, string> {
  const found = (words ?? []).map((word) => {
    const at = word.search(separator);
    if (at <= 0) throw usage(message, 'The name comes first, and may not be empty.');
    return [word.slice(0, at).trim(), word.slice(at + 1).replace(/^ /, '')] as const;
  });
  return Object.fromEntries(found);
}

export function usage(message: string, remedy: string): HoltError {
  return new HoltError('usage-invalid', message, { given: '' }, { remedy });
}
