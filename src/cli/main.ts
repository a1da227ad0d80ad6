/** The command line, from arguments to exit code. All access to the process goes through `CommandLineIo`. */

import type { Command, CommandContext, CommandInput, CommandRow } from '../commands/command.ts';
import { commandHint, commandTable, findCommand } from '../commands/command-table.ts';
import { isServerUrl, splitUrlTool } from '../commands/unlisted-server.ts';
import { HoltError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';
import { nameWord } from '../kernel/shell-words.ts';
import { escapeBlock, escapeLine } from '../masking/escape-text.ts';
import { jsonText } from '../terminal/json-text.ts';
import { wrapLines } from '../terminal/wrap.ts';
import { createContext, styleFor } from './context.ts';
import { errorText, type ContextIo } from './context-io.ts';
import { exitCodes } from './exit-codes.ts';
import { globalOptions, isOption, parseArgv } from './parse-argv.ts';
import { commandHelp, mainHelp } from './help.ts';
import { remedyOf } from './remedies.ts';

export type CommandLineIo = ContextIo;

/** Runs one command line. Never throws. */
export async function runCommandLine(argv: readonly string[], io: CommandLineIo): Promise<number> {
  const wantsJson = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined).includes('--json');
  try {
    return await dispatch(argv, io);
  } catch (error) {
    return reportFailure(error, io, { json: wantsJson, debug: argv.includes('--debug') });
  }
}

async function dispatch(argv: readonly string[], io: CommandLineIo): Promise<number> {
  const first = splitCommand(argv, ['mcp']);
  const text = first.word === undefined ? answerAlone(argv, io) : undefined;
  if (text !== undefined) {
    io.out(text);
    return 0;
  }
  if (first.word === 'help') return help(first.words, io);
  const word = first.word ?? 'overview';
  const known = findCommand(word);
  const row = known ?? findCommand(impliedCommand(word) ?? '');
  if (row === undefined) throw (await namedServer(word, argv, io)) ?? unknownCommand(word);
  const command = await row.load();
  const input = parseArgv(
    known === undefined ? [word, ...first.words] : first.words,
    { ...globalOptions, ...command.options },
    command,
  );
  if (input.flags.has('help')) {
    io.out(commandHelp(command, styleFor(io).columns));
    return 0;
  }
  return runCommand(command, input, io);
}

/** The output for `--version` or `--help` without a command. */
function answerAlone(argv: readonly string[], io: CommandLineIo): string | undefined {
  const isVersion = isAsked(argv, '--version', '-V') || (argv.length === 1 && argv[0] === '-v');
  if (isVersion) return `${versionText(io, argv.includes('--json'))}\n`;
  return isAsked(argv, '--help', '-h') ? mainHelp(styleFor(io).columns) : undefined;
}

/** One line in both formats, for scripts that read only one. */
function versionText({ version }: CommandLineIo, asJson: boolean): string {
  return asJson ? JSON.stringify({ schema: 1, version }) : version;
}

/** Rejects extra words instead of ignoring them, because the user expects them to have an effect. */
function refuseExtraWords({ name, usage, mostWords }: Command, { positionals: words }: CommandInput): void {
  if (mostWords === undefined || words.length <= mostWords) return;
  throw new HoltError(
    'usage-invalid',
    `holt ${name} takes ${mostWords === 0 ? 'no words' : 'one word'}`,
    { given: words.slice(mostWords).join(' ') },
    { remedy: `Write ${`holt ${usage}`.trim()}.` },
  );
}

async function runCommand(command: Command, input: CommandInput, io: CommandLineIo): Promise<number> {
  refuseExtraWords(command, input);
  const context: CommandContext = createContext(input, { ...io, runLine: runCommandLine });
  const data = await command.run(input, context);
  if (input.flags.has('json')) {
    io.out(jsonText({ schema: 1, ...command.json(data) }));
  } else {
    const style = styleFor(io);
    const rendered = command.render(data, style);
    const lines = command.wrapsLines === true ? wrapLines(rendered, style.columns) : rendered;
    if (lines.length > 0) io.out(`${lines.join('\n')}\n`);
  }
  return command.exitCode?.(data) ?? 0;
}

/** Finds the command: the first word that is neither an option nor its value. Skips words of `idle`. */
function splitCommand(
  argv: readonly string[],
  idle: readonly string[] = [],
): { readonly word: string | undefined; readonly words: readonly string[] } {
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') break;
    if (!word.startsWith('-')) {
      const words = [...argv.slice(0, at), ...argv.slice(at + 1)];
      return idle.includes(word) ? splitCommand(words) : { word, words };
    }
    const spec = Object.entries(globalOptions).find(([name]) => word === `--${name}`)?.[1];
    if (spec?.type === 'value' && !isOption(argv[at + 1] ?? '', globalOptions)) at += 1;
  }
  return { word: undefined, words: argv };
}

/** `holt URL` lists the tools of a server, `holt s.t k=v` calls a tool. */
function impliedCommand(word: string): string | undefined {
  if (isServerUrl(word)) return splitUrlTool(word) === undefined ? 'tools' : 'call';
  return /^mcp__.|^[^./:\s]+[./:][^\s]+$|^[^./:\s(]+[./:][^\s(]+\s*\(/.test(word) ? 'call' : undefined;
}

function isAsked(argv: readonly string[], long: string, short: string): boolean {
  return argv.includes(long) || argv.includes(short);
}

/** `holt help mcp list` shows the help of `list`, too. Other options have no effect. */
async function help(words: readonly string[], io: CommandLineIo): Promise<number> {
  const { positionals } = parseArgv(words, globalOptions);
  const [word] = positionals[0] === 'mcp' ? positionals.slice(1) : positionals;
  const row: CommandRow | undefined = word === undefined ? undefined : findCommand(word);
  if (word !== undefined && row === undefined) throw unknownCommand(word);
  const { columns } = styleFor(io);
  io.out(row === undefined ? mainHelp(columns) : commandHelp(await row.load(), columns));
  return 0;
}

/**
 * The error for a server's name in place of a command. Undefined if it is none or the servers cannot be read.
 */
async function namedServer(
  word: string,
  argv: readonly string[],
  io: CommandLineIo,
): Promise<HoltError | undefined> {
  try {
    const { servers } = await createContext(parseArgv(argv, globalOptions), io).loadRoster();
    if (!servers.some(({ ref }) => ref === word)) return undefined;
  } catch {
    return undefined;
  }
  const name = nameWord(word);
  const remedy = `holt get ${name} shows the server of that name, holt tools ${name} what can be called.`;
  return new HoltError('usage-invalid', `Unknown command "${word}"`, { given: word }, { remedy });
}

function unknownCommand(word: string): HoltError {
  const hint = commandHint(word);
  if (hint !== undefined)
    return new HoltError('usage-invalid', `Unknown command "${word}"`, { given: word }, { remedy: hint });
  const near = nearest(
    word,
    commandTable.flatMap(({ name, aliases }) => [name, ...aliases]),
  );
  const details = { given: word, ...(near === undefined ? {} : { nearest: near }) };
  const remedy = near === undefined ? 'holt --help lists the commands.' : `Did you mean "holt ${near}"?`;
  return new HoltError('usage-invalid', `Unknown command "${word}"`, details, { remedy });
}

function reportFailure(
  error: unknown,
  io: CommandLineIo,
  how: { readonly json: boolean; readonly debug: boolean },
): number {
  const known = HoltError.is(error) ? error : internalError(error);
  if (how.json) {
    const { code, message } = known;
    io.out(jsonText({ schema: 1, error: { code, message, remedy: remedyOf(known) } }));
  } else {
    io.error(errorText(failureLines(known), io));
  }
  if (how.debug)
    io.error(
      `${escapeBlock(known.stack ?? '')}\n${known.cause instanceof Error ? escapeBlock(known.cause.stack ?? '') : ''}\n`,
    );
  return exitCodes[known.code];
}

/** Indents all lines but the first, so that output of a program cannot pass for a line of holt. */
function failureLines(error: HoltError): readonly string[] {
  const { message } = error;
  const remedy = remedyOf(error);
  const [first = '', ...more] = escapeBlock(message).split('\n');
  const isSaid = message.includes(remedy);
  return [first, ...more.map((line) => `  ${line}`), ...(isSaid ? [] : [escapeLine(remedy)])];
}

function internalError(error: unknown): HoltError {
  const reason = error instanceof Error ? error.message : String(error);
  return new HoltError('internal-error', `holt failed: ${reason}`, { reason }, { cause: error });
}
