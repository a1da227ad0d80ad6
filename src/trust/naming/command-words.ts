/** Where a definition speaks of files it would run or hand over: command, arguments, loader variables, commands for values. */

import { commandsIn } from '../../dialects/mentions.ts';
import type { FieldKind } from '../../dialects/template.ts';
import { isInside, type Machine } from '../../kernel/machine.ts';
import type { ServerDefinition, StdioLaunch } from '../../kernel/servers.ts';
import { loaderVariables } from '../loader-variables.ts';
import { pathTails, pathWords } from './path-words.ts';
import { fallbacksIn, plainText } from './plain-text.ts';

export interface CommandWords {
  /** What relative words are relative to. */
  readonly folder: string;
  readonly words: readonly string[];
}

export function commandWords(definition: ServerDefinition, machine: Machine): readonly CommandWords[] {
  const { launch } = definition;
  const lines = commandsIn(definition).flatMap(({ line }) => pathWords(line));
  const values: readonly CommandWords[] =
    lines.length === 0 ? [] : [{ folder: machine.projectRoot, words: lines }];
  if (launch.kind !== 'stdio') return values;
  return [
    { folder: startFolderOf(launch, definition, machine), words: stdioWords(definition, launch, machine) },
    ...values,
  ];
}

function startFolderOf({ cwd }: StdioLaunch, definition: ServerDefinition, machine: Machine): string {
  const plain = cwd === undefined ? undefined : plainText(cwd, 'cwd', definition, machine);
  return machine.path.resolve(machine.projectRoot, plain?.kind === 'whole' ? plain.text : '.');
}

function stdioWords(definition: ServerDefinition, launch: StdioLaunch, machine: Machine): readonly string[] {
  const { command, args, env } = launch;
  const wordsOf = (text: string, field: FieldKind): readonly string[] => {
    const plain = plainText(text, field, definition, machine);
    const known = plain.kind === 'whole' ? pathWords(plain.text) : pathTails(plain.tail);
    return [...known, ...fallbacksIn(text, field, definition).flatMap(pathWords)];
  };
  const inProjectPath = searchedInProject(machine);
  return [
    // A bare name is looked up in PATH, and in the project only where PATH leads there.
    ...(/[\\/$]/.test(command)
      ? wordsOf(command, 'command')
      : inProjectPath.map((folder) => machine.path.join(folder, command))),
    ...args.flatMap((argument) => wordsOf(argument, 'args')),
    ...args.flatMap((argument, index) => (args[index - 1] === '-m' ? moduleWords(argument) : [])),
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

/** `python -m a.b` runs `a/b.py` or `a/b/__main__.py`. */
function moduleWords(name: string): readonly string[] {
  const place = name.replaceAll('.', '/');
  return [`${place}.py`, `${place}/__main__.py`];
}
