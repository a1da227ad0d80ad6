/** Where a definition speaks of files it would run or hand over: command, arguments, loader variables, commands for values. */

import { commandsIn } from '../../dialects/mentions.ts';
import type { FieldKind } from '../../dialects/template.ts';
import { isInside, type Machine } from '../../kernel/machine.ts';
import type { ServerDefinition, StdioLaunch } from '../../kernel/servers.ts';
import { loaderVariables } from '../loader-variables.ts';
import { moduleFiles, pathTails, pathWords } from './path-words.ts';
import { fallbacksIn, plainText } from './plain-text.ts';
import { shellLines } from './shell-words.ts';
import { taskFilesOf } from './task-files.ts';

export interface CommandWords {
  /** What relative words are relative to. */
  readonly folder: string;
  readonly words: readonly string[];
  /** What its programs look for in a folder that is named. */
  readonly taskFiles: readonly string[];
  /** Programs with their arguments, in order. A value that is not known yet is `unknownText`. */
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

/** Command lines as a shell takes them. */
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
    return plain.kind === 'whole' ? plain.text : [plain.head, ...plain.tails].join(unknownText);
  };
  const line = [textOf(command, 'command'), ...args.map((argument) => textOf(argument, 'args'))];
  return [line, ...line.filter((word) => /\s/.test(word)).flatMap((word) => shellLines(word))];
}

function startFolderOf({ cwd }: StdioLaunch, definition: ServerDefinition, machine: Machine): string {
  const plain = cwd === undefined ? undefined : plainText(cwd, 'cwd', definition, machine);
  return machine.path.resolve(machine.projectRoot, plain?.kind === 'whole' ? plain.text : '.');
}

function stdioWords(definition: ServerDefinition, launch: StdioLaunch, machine: Machine): readonly string[] {
  const { command, args, env, cwd } = launch;
  const isWhole = (text: string): boolean => plainText(text, 'cwd', definition, machine).kind === 'whole';
  const wordsOf = (text: string, field: FieldKind): readonly string[] => {
    const plain = plainText(text, field, definition, machine);
    const known =
      plain.kind === 'whole'
        ? pathWords(plain.text)
        : [...pathWords(plain.head), ...plain.tails.flatMap(pathTails)];
    return [...known, ...fallbacksIn(text, field, definition).flatMap(pathWords)];
  };
  const inProjectPath = searchedInProject(machine);
  return [
    // A bare name is looked up in PATH, and in the project only where PATH leads there.
    ...(/[\\/$]/.test(command)
      ? wordsOf(command, 'command')
      : inProjectPath.map((folder) => machine.path.join(folder, command))),
    ...args.flatMap((argument) => wordsOf(argument, 'args')),
    ...moduleFiles(args),
    // Where it starts, as far as that is known: a folder among the words is one more that they may be relative to.
    ...(cwd === undefined || isWhole(cwd) ? [] : wordsOf(cwd, 'cwd')),
    ...loaderVariables(definition).flatMap((name) => wordsOf(env[name] ?? '', 'env')),
  ];
}

/** Folders of PATH that lie in the project, as a tool that switches environments puts them there. */
function searchedInProject(machine: Machine): readonly string[] {
  const { env, path } = machine;
  const folders = (env['PATH'] ?? '').split(path.delimiter);
  return folders.filter(
    (folder) => path.isAbsolute(folder) && isInside(folder, machine.projectRoot, machine),
  );
}
