/** Reads the words of `holt add`: a program or a URL. Ambiguous words are rejected. */

import { shellWord, splitWords } from '../../kernel/shell-words.ts';
import { isUrl, usage } from './add-options.ts';
import { valueOf, type CommandContext, type CommandInput } from '../command.ts';

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
