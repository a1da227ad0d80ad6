/** Runners with a file of tasks: make, just, task, rake and `deno task`. */

import { parseJson } from '../../documents/json.ts';
import { get, toValue, type DocNode } from '../../documents/tree.ts';
import {
  foldersUp,
  joined,
  nearest,
  nothing,
  isUnknown,
  optionValues,
  plainWords,
  type Coverage,
  type FilePart,
  type Look,
  type RunnerCall,
} from './coverage.ts';
import { packageScripts } from './package-scripts.ts';
import { callsOtherPrograms } from './script-programs.ts';

const makefiles = ['GNUmakefile', 'makefile', 'Makefile'];
const includeLine = /^\s*(?:-|s)?include\s+(.+)$/gm;
const importLine = /^\s*(?:import|mod)\??\s+(.+)$/gm;
/** Under `includes:` of a Taskfile: `name: FILE` or `taskfile: FILE`, where FILE may be a folder with a Taskfile. */
const taskfileLine = /^\s+[\w-]+:\s*["']?([^\s"'#{}]+)["']?\s*$/gm;

/**
 * Covers a task file and its includes. Reports the programs that tasks call, which only the runner could
 * name.
 */
function withIncludes(place: string, includes: RegExp, look: Look): Coverage {
  const { path } = look.machine;
  const folder = path.dirname(place);
  const named = [...(look.text(place) ?? '').matchAll(includes)].flatMap(([, words = '']) =>
    words
      .split(/[\s'"]+/)
      .flatMap((word) => [word, `${word}.just`, `${word}/mod.just`, `${word}/Taskfile.yml`]),
  );
  const files = named.filter((word) => word !== '').map((word) => path.resolve(folder, word));
  return {
    ...nothing,
    files: [place, ...files.filter((file) => look.exists(file) && !look.isFolder(file))],
    gaps: [`the programs that ${look.shown(place)} calls`],
  };
}

function unknownFile({ program, args }: RunnerCall, options: readonly string[]): Coverage {
  const isGiven = optionValues(args, options).some(isUnknown);
  return isGiven ? { ...nothing, gaps: [`the file that ${program} is given`] } : nothing;
}

/**
 * Returns the files that options name. They are hashed as named files; this finds what they include and call.
 */
function fileOptions(
  { args, folder }: RunnerCall,
  options: readonly string[],
  look: Look,
): readonly string[] {
  return optionValues(args, options)
    .map((value) => look.machine.path.resolve(folder, value))
    .filter((place) => look.exists(place) && !look.isFolder(place));
}

export function make(call: RunnerCall, look: Look): Coverage {
  const given = fileOptions(call, ['-f', '--file', '--makefile'], look);
  const inFolder = makefiles.map((name) => look.machine.path.join(call.folder, name));
  // Where the file system ignores case, two of the names are one file.
  const found = given.length > 0 ? given : inFolder.filter((place) => look.exists(place)).slice(0, 1);
  return joined([
    unknownFile(call, ['-f', '--file', '--makefile']),
    ...found.map((place) => withIncludes(place, includeLine, look)),
  ]);
}

export function just(call: RunnerCall, look: Look): Coverage {
  const given = fileOptions(call, ['-f', '--justfile'], look);
  const { path } = look.machine;
  // `just folder/task` runs a task of that folder.
  const folders = plainWords(call.args)
    .filter((word) => word.includes('/') && !isUnknown(word))
    .map((word) => path.resolve(call.folder, path.dirname(word)));
  const found =
    given.length > 0
      ? given
      : [call.folder, ...folders].flatMap((folder) => nearestByPattern(folder, /^\.?justfile$/i, look));
  return joined([
    unknownFile(call, ['-f', '--justfile']),
    ...found.map((place) => withIncludes(place, importLine, look)),
  ]);
}

export function taskFile(call: RunnerCall, look: Look): Coverage {
  const found = nearestByPattern(call.folder, /^taskfile(?:\.dist)?\.ya?ml$/i, look);
  return joined(
    [...fileOptions(call, ['-t', '--taskfile'], look), ...found].map((place) =>
      withIncludes(place, taskfileLine, look),
    ),
  );
}

export function rake(call: RunnerCall, look: Look): Coverage {
  const found = nearestByPattern(call.folder, /^rakefile(?:\.rb)?$/i, look);
  return joined(
    [...fileOptions(call, ['-f', '--rakefile'], look), ...found].map((place) =>
      withIncludes(place, includeLine, look),
    ),
  );
}

function nearestByPattern(folder: string, pattern: RegExp, look: Look): readonly string[] {
  for (const above of foldersUp(folder, look)) {
    const names = look.list(above).filter((name) => pattern.test(name));
    if (names.length > 0) return names.map((name) => look.machine.path.join(above, name));
  }
  return [];
}

/** Fields of `deno.json` that `deno run` uses: how imports resolve, and what is loaded first. */
const denoSettings = ['imports', 'scopes', 'importMap', 'links', 'patch', 'preload'];

/** `deno task x`. `deno run x` and `deno x` also run a task when there is no such file. */
export function denoTask(call: RunnerCall, look: Look): Coverage {
  const words = plainWords(call.args);
  const given = fileOptions(call, ['-c', '--config'], look);
  const own = nearest(call.folder, ['deno.json', 'deno.jsonc'], look);
  const places = [...given, ...(own === undefined ? [] : [own])];
  // deno also runs the scripts of package.json as tasks.
  return joined([...places.map((place) => tasksOf(place, words, look)), packageScripts(call, words, look)]);
}

function tasksOf(place: string, words: readonly string[], look: Look): Coverage {
  const document = parseJson(look.text(place) ?? '', { bom: false, utf16: false });
  if (!document.ok || document.root === undefined || words.some(isUnknown))
    return { ...nothing, files: [place] };
  const { root } = document;
  const settings = denoSettings.flatMap((name): FilePart[] => {
    const node = get(root, name);
    return node === undefined ? [] : [{ place, name, text: textOf(node) }];
  });
  const tasks = get(root, 'tasks');
  const chosen = withDependencies(words, tasks).flatMap((name) => {
    const task = get(tasks, name);
    return task === undefined ? [] : [{ name, task }];
  });
  const folder = look.machine.path.dirname(place);
  const lines = chosen.flatMap(({ task }) => {
    const command = task.kind === 'string' ? task : get(task, 'command');
    return command?.kind === 'string' ? [{ folder, text: command.value }] : [];
  });
  return {
    files: [],
    parts: [
      ...settings,
      ...chosen.map(({ name, task }) => ({ place, name: `tasks.${name}`, text: textOf(task) })),
    ],
    lines,
    gaps: lines.some(({ text }) => callsOtherPrograms(text))
      ? [`the programs that tasks of ${look.shown(place)} call`]
      : [],
  };
}

function textOf(task: DocNode): string {
  return task.kind === 'string' ? task.value : JSON.stringify(toValue(task));
}

function withDependencies(words: readonly string[], tasks: DocNode | undefined): readonly string[] {
  const names = new Set(words);
  for (const name of names) {
    const dependencies = get(get(tasks, name), 'dependencies');
    if (dependencies?.kind !== 'array') continue;
    for (const item of dependencies.items) if (item.kind === 'string') names.add(item.value);
  }
  return [...names];
}
