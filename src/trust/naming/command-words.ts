/**
 * Collects the strings of a definition that may name files: command, arguments, loader variables, and
 * commands that produce values.
 */

import { commandsIn } from '../../dialects/mentions.ts';
import type { FieldKind } from '../../dialects/template.ts';
import { isInside, type Machine } from '../../kernel/machine.ts';
import type { ServerDefinition, StdioLaunch } from '../../kernel/servers.ts';
import { programName } from '../package-runners.ts';
import { moduleFiles, pathTails, pathWords, shellLines } from './path-words.ts';
import { fallbacksIn, plainText } from '../plain-text.ts';

export interface CommandWords {
  /** The folder that relative words are resolved against. */
  readonly folder: string;
  readonly words: readonly string[];
  /** Files that its programs look for in a named folder. */
  readonly taskFiles: readonly string[];
  /** Programs with their arguments, in order. `unknownText` replaces a value that is not known yet. */
  readonly lines: readonly (readonly string[])[];
}

/** No argument can contain this character, so it cannot be mistaken for one. */
export const unknownText = '\0';

export function commandWords(definition: ServerDefinition, machine: Machine): readonly CommandWords[] {
  const { launch } = definition;
  const commands = commandsIn(definition).map(({ line }) => line);
  const values = commands.length === 0 ? [] : [wordsOfText(commands, machine.projectRoot)];
  if (launch.kind !== 'stdio') return values;
  const folder = startFolderOf(launch, definition, machine);
  const words = stdioWords(definition, launch, machine);
  const taskFiles = taskFilesOf([launch.command, ...words]);
  return [{ folder, words, taskFiles, lines: stdioLines(definition, launch, machine) }, ...values];
}

/** Splits command lines as a shell does. */
export function wordsOfText(texts: readonly string[], folder: string): CommandWords {
  const words = texts.flatMap(pathWords);
  return { folder, words, taskFiles: taskFilesOf(words), lines: texts.flatMap((text) => shellLines(text)) };
}

/** The command with its arguments, and each argument that is a command line itself. */
function stdioLines(
  definition: ServerDefinition,
  { command, args }: StdioLaunch,
  machine: Machine,
): readonly (readonly string[])[] {
  const textOf = (text: string, field: FieldKind): string => {
    const plain = plainText(text, field, definition, machine);
    return plain.kind === 'known' ? plain.text : [plain.head, ...plain.tails].join(unknownText);
  };
  const line = [textOf(command, 'command'), ...args.map((argument) => textOf(argument, 'args'))];
  return [line, ...line.filter((word) => /\s/.test(word)).flatMap((word) => shellLines(word))];
}

function startFolderOf({ cwd }: StdioLaunch, definition: ServerDefinition, machine: Machine): string {
  const plain = cwd === undefined ? undefined : plainText(cwd, 'cwd', definition, machine);
  return machine.path.resolve(machine.projectRoot, plain?.kind === 'known' ? plain.text : '.');
}

function stdioWords(definition: ServerDefinition, launch: StdioLaunch, machine: Machine): readonly string[] {
  const { command, args, env, cwd } = launch;
  const isKnown = (text: string): boolean => plainText(text, 'cwd', definition, machine).kind === 'known';
  const wordsOf = (text: string, field: FieldKind): readonly string[] => {
    const plain = plainText(text, field, definition, machine);
    const known =
      plain.kind === 'known'
        ? pathWords(plain.text)
        : [...pathWords(plain.head), ...plain.tails.flatMap(pathTails)];
    return [...known, ...fallbacksIn(text, field, definition).flatMap(pathWords)];
  };
  const inProjectPath = searchedInProject(machine);
  return [
    // A bare name is looked up in PATH, so it names a project file only when PATH contains a project folder.
    ...(/[\\/$]/.test(command)
      ? wordsOf(command, 'command')
      : inProjectPath.map((folder) => machine.path.join(folder, command))),
    ...args.flatMap((argument) => wordsOf(argument, 'args')),
    ...moduleFiles(args),
    // A start folder that is only partly known is one more folder that words may be relative to.
    ...(cwd === undefined || isKnown(cwd) ? [] : wordsOf(cwd, 'cwd')),
    ...loaderVariables(definition).flatMap((name) => wordsOf(env[name] ?? '', 'env')),
  ];
}

/** Returns the PATH folders inside the project. Tools that switch environments add them. */
function searchedInProject(machine: Machine): readonly string[] {
  const { env, path } = machine;
  const folders = (env['PATH'] ?? '').split(path.delimiter);
  return folders.filter(
    (folder) => path.isAbsolute(folder) && isInside(folder, machine.projectRoot, machine),
  );
}

const makefiles = ['GNUmakefile', 'makefile', 'Makefile'];
const taskFiles: ReadonlyMap<string, readonly string[]> = new Map([
  ['make', makefiles],
  ['gmake', makefiles],
  ['deno', ['deno.json', 'deno.jsonc']],
]);

/**
 * Files that a program looks for by itself in a folder it is given: `make -C folder` runs the folder's Makefile.
 * Checks every word, because any of them may be the program: `env -C folder make`.
 */
function taskFilesOf(words: readonly string[]): readonly string[] {
  return [...new Set(words.flatMap((word) => taskFiles.get(programName(word)) ?? []))];
}

const loader = new RegExp(
  `^(?:${[
    'LD_.*|DYLD_.*|GCONV_PATH|OPENSSL_CONF',
    'NODE_OPTIONS|NODE_PATH|NODE_REPL_EXTERNAL_MODULE|npm_config_.*|BUN_.*|DENO_DIR',
    'PYTHON(?:PATH|STARTUP|HOME|USERBASE|INSPECT|BREAKPOINT)|PIP_.*|UV_.*',
    'PERL5(?:OPT|LIB|DB)|PERLLIB|RUBY(?:OPT|LIB)|GEM_(?:HOME|PATH)|BUNDLE_.*|PHPRC|PHP_INI_SCAN_DIR|LUA_(?:INIT|PATH|CPATH).*',
    'JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS|CLASSPATH|DOTNET_STARTUP_HOOKS|CORECLR_.*|COR_(?:ENABLE_PROFILING|PROFILER.*)',
    'BASH_ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|IFS|ZDOTDIR|PATH|PATHEXT|COMSPEC|HOME|XDG_CONFIG_HOME',
    'GIT_.*|SSH_ASKPASS|SUDO_ASKPASS|EDITOR|VISUAL|PAGER|BROWSER|DOCKER_HOST',
    'MAKEFILES|MAKEFLAGS|GNUMAKEFLAGS|COMPOSE_(?:FILE|ENV_FILES)|JUST_JUSTFILE',
  ].join('|')})$`,
  'i',
);

/** Variables that make a program load other code. In a project's entry they need a confirmation of their own. */
export function loaderVariables({ launch }: ServerDefinition): readonly string[] {
  if (launch.kind !== 'stdio') return [];
  return Object.keys({ ...launch.env, ...launch.envFrom }).filter((name) => loader.test(name));
}
