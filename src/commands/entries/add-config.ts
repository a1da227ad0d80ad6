/** Builds an entry in holt's own format from the words and options of `holt add`. */

import { startChoices, type StartChoice } from '../../kernel/servers.ts';
import { pairs, usage } from './add-options.ts';
import type { AddTarget } from './add-words.ts';
import { valueOf, type CommandInput } from '../command.ts';

export function configOf(input: CommandInput, { command, url }: AddTarget): Record<string, unknown> {
  if (url !== undefined && command.length > 0)
    throw usage('Use either --url or -- <command...>, not both.', 'Leave one of the two out.');
  if (valueOf(input, 'token') !== undefined && url === undefined)
    throw usage('--token requires --url (HTTP/SSE transport).', 'Give --url, or leave --token out.');
  refuseOptions(input, url);
  if (url === undefined && command.length === 0)
    throw usage('What should run? Give a command after --, or --url.', 'holt add NAME -- COMMAND ARGS…');
  refuseContradiction(input, url);
  return {
    ...(url === undefined ? programFields(command, input) : remoteFields(url, input)),
    ...timeoutFields(input),
    ...toolFields(input),
  };
}

/** Rejects options known from other agents' commands that need a URL, or that no entry has a field for. */
function refuseOptions(input: CommandInput, url: string | undefined): void {
  if (valueOf(input, 'description') !== undefined)
    throw usage(
      'An entry has no description',
      'Leave --description out; a comment in the file can say what the server is for.',
    );
  const remoteOnly = ['bearer-token-env-var', 'client-id', 'callback-port'];
  const given = remoteOnly.find((option) => valueOf(input, option) !== undefined);
  if (given === undefined || url !== undefined) return;
  throw usage(`--${given} is for remote servers`, `Give --url, or leave --${given} out.`);
}

/**
 * Where the server starts, if the user said so. Throws `usage-invalid` for an unknown word or a remote
 * server.
 */
export function startChoiceOf(input: CommandInput, { url }: AddTarget): StartChoice | undefined {
  const word = valueOf(input, 'start-in');
  if (word === undefined) return undefined;
  const choice = startChoices.find((one) => one === word);
  if (choice === undefined)
    throw usage(`Unknown folder "${word}" for --start-in`, `Use one of: ${startChoices.join(', ')}.`);
  if (url !== undefined)
    throw usage('--start-in is for programs; a remote server is not started', 'Leave --start-in out.');
  return choice;
}

/**
 * Words for transports that people know from other tools. Any other word is rejected when the entry is read.
 */
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
  const headers = {
    ...pairs(input.values['header'], /[:=]/, '--header takes "K: V" or K=V'),
    ...bearerHeader(input),
  };
  const oauth = oauthFields(input);
  const transport = valueOf(input, 'transport') ?? (/^wss?:/i.test(url) ? 'ws' : 'http');
  return {
    type: transport,
    url,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(Object.keys(oauth).length === 0 ? {} : { oauth }),
  };
}

/** The entry names the variable; the token itself stays there. */
function bearerHeader(input: CommandInput): Record<string, string> {
  const name = valueOf(input, 'bearer-token-env-var');
  if (name === undefined) return {};
  if (!/^[A-Za-z_]\w*$/.test(name))
    throw usage(
      `--bearer-token-env-var takes the name of a variable, not "${name}"`,
      'For example --bearer-token-env-var EXAMPLE_TOKEN; a token itself goes to --token.',
    );
  return { Authorization: `Bearer \${${name}}` };
}

function oauthFields(input: CommandInput): Record<string, unknown> {
  const clientId = valueOf(input, 'client-id');
  const port = valueOf(input, 'callback-port');
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) <= 65_535))
    throw usage(`--callback-port takes a port, not "${port}"`, 'A port is a number from 1 to 65535.');
  return {
    ...(clientId === undefined ? {} : { clientId }),
    ...(port === undefined ? {} : { callbackPort: Number(port) }),
  };
}

function toolFields(input: CommandInput): Record<string, unknown> {
  const lists = (['include', 'exclude'] as const).map((which) => {
    const names = (input.values[`${which}-tools`] ?? []).flatMap((word) => word.split(','));
    return [which, names.map((name) => name.trim()).filter((name) => name !== '')] as const;
  });
  const given = lists.filter(([, names]) => names.length > 0);
  return given.length === 0 ? {} : { tools: Object.fromEntries(given) };
}

function timeoutFields(input: CommandInput): Record<string, unknown> {
  const text = valueOf(input, 'timeout');
  if (text === undefined) return {};
  const timeout = Number(text);
  if (!Number.isInteger(timeout) || timeout < 0)
    throw usage(`--timeout takes milliseconds, not "${text}"`, 'For example --timeout 30000.');
  return { timeout };
}
