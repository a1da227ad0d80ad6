/** Reads the words and options of `holt add`, rejects ambiguous ones, and builds an entry in holt's own format. */

import { type StartChoice, startChoices } from '../../kernel/servers.ts';
import { shellWord, splitWords } from '../../kernel/shell-words.ts';
import { type CommandContext, type CommandInput, usage, valueOf } from '../command.ts';
import { isUrl, pairs } from './add-options.ts';

export interface AddTarget {
  /** Empty for a remote server. */
  readonly command: readonly string[];
  readonly url: string | undefined;
}

type Programs = Pick<CommandContext, 'machine' | 'resolveProgram'>;

/**
 * Reads what follows the name: a URL, or a command and its arguments, with or without `--`. Throws
 * `usage-invalid`.
 */
export function targetOf(input: CommandInput, programs: Programs): AddTarget {
  const [, ...words] = input.positionals;
  const { rest = [] } = input;
  refuseWordsBeforeDashes(input);
  refuseMissingName(input, programs);
  const written = words.find(isUrl) === words[0] ? words[0] : undefined;
  const command = [...(written === undefined ? words : words.slice(1)), ...rest];
  const [only = ''] = command;
  // A single URL after `--` is a remote server too, because no program has such a name.
  const isRemote = written === undefined && command.length === 1 && isUrl(only);
  const url = valueOf(input, 'url') ?? written;
  if (isRemote && url === undefined) return { command: [], url: only };
  return { command: splitLine(command, programs), url };
}

/** If `--` is present, the command starts after it. */
function refuseWordsBeforeDashes({ positionals, rest = [] }: CommandInput): void {
  const [name = '', ...words] = positionals;
  const at = rest.indexOf('--');
  // A command without `--` arrives in two parts: its first word, then the rest.
  if (at === -1 || words.length === 0 || words.some(isUrl)) return;
  const before = [...words, ...rest.slice(0, at)].join(' ');
  const after = rest.slice(at + 1).join(' ');
  throw usage(
    `"${before}" is before --, and only what follows -- is the command`,
    `Leave it out, or if "${before}" is the command, write holt add ${name} -- ${before} -- ${after}`.trimEnd(),
  );
}

/** Programs that start servers and are unlikely as server names. */
const launchers: ReadonlySet<string> = new Set(
  'npx npm pnpm pnpx yarn bunx bun node deno tsx uvx uv pipx python python3 docker podman go java dotnet ruby'.split(
    ' ',
  ),
);

/** Detects a missing name, as in `holt add npx -y pkg`. */
function refuseMissingName(input: CommandInput, { machine, resolveProgram }: Programs): void {
  const [name = '', second] = input.positionals;
  const { rest = [], flags } = input;
  if (second === undefined || isUrl(second) || !launchers.has(name) || rest.includes('--')) return;
  if (resolveProgram(second, machine.cwd) !== undefined) return;
  // A `-y` before the command was read as an option of holt.
  const yes = flags.has('yes') ? ['-y'] : [];
  const line = [name, ...yes, second, ...rest].map(shellWord).join(' ');
  throw usage(`"${name}" is a command, and the name is missing`, `Write holt add NAME -- ${line}`);
}

/** A single word with spaces is a command line, unless a program has that name. */
function splitLine(command: readonly string[], { machine, resolveProgram }: Programs): readonly string[] {
  const [line = '', ...others] = command;
  if (/^\s*[{[]/.test(line))
    throw usage(`"${line}" is not a command`, "For an entry in JSON, write holt add-json NAME 'JSON'.");
  if (line.startsWith('-'))
    throw usage(`"${line}" is an option, and the command is missing`, 'Write holt add NAME -- COMMAND ARGS…');
  const words = others.length > 0 || !/\s/.test(line) ? undefined : splitWords(line);
  if (words === undefined || words.length < 2) return command;
  return resolveProgram(line, machine.cwd) === undefined ? words : command;
}

/** Labels of a host name that do not identify who runs the server. */
const commonLabels: ReadonlySet<string> = new Set(['mcp', 'api', 'www', 'app', 'server', 'remote']);

/** Proposes a name for the server at a URL: `sentry` for `https://mcp.sentry.dev/mcp`. */
export function proposedName(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  // An IP address contains no name.
  if (/^[\d.]+$|:/.test(host)) return 'remote';
  const labels = host.split('.');
  const owners = labels.length > 1 ? labels.slice(0, -1) : labels;
  return owners.findLast((label) => !commonLabels.has(label)) ?? owners.at(-1) ?? 'remote';
}

export function configOf(input: CommandInput, { command, url }: AddTarget): Record<string, unknown> {
  if (url !== undefined && command.length > 0)
    throw usage('Use either --url or -- <command...>, not both.', 'Leave one of the two out.');
  if (valueOf(input, 'token') !== undefined && url === undefined)
    throw usage('--token requires --url (HTTP/SSE transport).', 'Give --url, or leave --token out.');
  refuseOptions(input, url);
  if (url === undefined && command.length === 0)
    throw usage(
      'Missing command or URL. Give a command after --, or --url.',
      'holt add NAME -- COMMAND ARGS…',
    );
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
