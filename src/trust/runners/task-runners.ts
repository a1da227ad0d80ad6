/** Runners with a file of tasks: make, just, task, rake and `deno task`. */

import { parseJson } from '../../documents/json.ts';
import { get, toValue, type DocNode } from '../../documents/tree.ts';
import {
  foldersUp,
  joinCode,
  nearest,
  noCode,
  isUnknown,
  optionValues,
  plainWords,
  type ExecutedCode,
  type FilePart,
  type ProjectReader,
  type RunnerCall,
} from './executed-code.ts';
import { packageScripts, callsOtherPrograms } from './package-scripts.ts';

const makefiles = ['GNUmakefile', 'makefile', 'Makefile'];
const includeLine = /^\s*(?:-|s)?include\s+(.+)$/gm;
const importLine = /^\s*(?:import|mod)\??\s+(.+)$/gm;
/** Under `includes:` of a Taskfile: `name: FILE` or `taskfile: FILE`, where FILE may be a folder with a Taskfile. */
const taskfileLine = /^\s+[\w-]+:\s*["']?([^\s"'#{}]+)["']?\s*$/gm;

/**
 * Covers a task file and its includes. Reports the programs that tasks call, which only the runner could
 * name.
 */
function withIncludes(place: string, includes: RegExp, project: ProjectReader): ExecutedCode {
  const { path } = project.machine;
  const folder = path.dirname(place);
  const named = [...(project.text(place) ?? '').matchAll(includes)].flatMap(([, words = '']) =>
    words
      .split(/[\s'"]+/)
      .flatMap((word) => [word, `${word}.just`, `${word}/mod.just`, `${word}/Taskfile.yml`]),
  );
  const files = named.filter((word) => word !== '').map((word) => path.resolve(folder, word));
  return {
    ...noCode,
    files: [place, ...files.filter((file) => project.exists(file) && !project.isFolder(file))],
    gaps: [`the programs that ${project.relative(place)} calls`],
  };
}

function unknownFile({ program, args }: RunnerCall, options: readonly string[]): ExecutedCode {
  const isGiven = optionValues(args, options).some(isUnknown);
  return isGiven ? { ...noCode, gaps: [`the file that ${program} is given`] } : noCode;
}

/**
 * Returns the files that options name. They are hashed as named files; this finds what they include and call.
 */
function fileOptions(
  { args, folder }: RunnerCall,
  options: readonly string[],
  project: ProjectReader,
): readonly string[] {
  return optionValues(args, options)
    .map((value) => project.machine.path.resolve(folder, value))
    .filter((place) => project.exists(place) && !project.isFolder(place));
}

export function make(call: RunnerCall, project: ProjectReader): ExecutedCode {
  const given = fileOptions(call, ['-f', '--file', '--makefile'], project);
  const inFolder = makefiles.map((name) => project.machine.path.join(call.folder, name));
  // Where the file system ignores case, two of the names are one file.
  const found = given.length > 0 ? given : inFolder.filter((place) => project.exists(place)).slice(0, 1);
  return joinCode([
    unknownFile(call, ['-f', '--file', '--makefile']),
    ...found.map((place) => withIncludes(place, includeLine, project)),
  ]);
}

export function just(call: RunnerCall, project: ProjectReader): ExecutedCode {
  const given = fileOptions(call, ['-f', '--justfile'], project);
  const { path } = project.machine;
  // `just folder/task` runs a task of that folder.
  const folders = plainWords(call.args)
    .filter((word) => word.includes('/') && !isUnknown(word))
    .map((word) => path.resolve(call.folder, path.dirname(word)));
  const found =
    given.length > 0
      ? given
      : [call.folder, ...folders].flatMap((folder) => nearestByPattern(folder, /^\.?justfile$/i, project));
  return joinCode([
    unknownFile(call, ['-f', '--justfile']),
    ...found.map((place) => withIncludes(place, importLine, project)),
  ]);
}

export function taskFile(call: RunnerCall, project: ProjectReader): ExecutedCode {
  const found = nearestByPattern(call.folder, /^taskfile(?:\.dist)?\.ya?ml$/i, project);
  return joinCode(
    [...fileOptions(call, ['-t', '--taskfile'], project), ...found].map((place) =>
      withIncludes(place, taskfileLine, project),
    ),
  );
}

export function rake(call: RunnerCall, project: ProjectReader): ExecutedCode {
  const found = nearestByPattern(call.folder, /^rakefile(?:\.rb)?$/i, project);
  return joinCode(
    [...fileOptions(call, ['-f', '--rakefile'], project), ...found].map((place) =>
      withIncludes(place, includeLine, project),
    ),
  );
}

function nearestByPattern(folder: string, pattern: RegExp, project: ProjectReader): readonly string[] {
  for (const above of foldersUp(folder, project)) {
    const names = project.list(above).filter((name) => pattern.test(name));
    if (names.length > 0) return names.map((name) => project.machine.path.join(above, name));
  }
  return [];
}

/** Fields of `deno.json` that `deno run` uses: how imports resolve, and what is loaded first. */
const denoSettings = ['imports', 'scopes', 'importMap', 'links', 'patch', 'preload'];

/** `deno task x`. `deno run x` and `deno x` also run a task when there is no such file. */
export function denoTask(call: RunnerCall, project: ProjectReader): ExecutedCode {
  const words = plainWords(call.args);
  const given = fileOptions(call, ['-c', '--config'], project);
  const own = nearest(call.folder, ['deno.json', 'deno.jsonc'], project);
  const places = [...given, ...(own === undefined ? [] : [own])];
  // deno also runs the scripts of package.json as tasks.
  return joinCode([
    ...places.map((place) => tasksOf(place, words, project)),
    packageScripts(call, words, project),
  ]);
}

function tasksOf(place: string, words: readonly string[], project: ProjectReader): ExecutedCode {
  const document = parseJson(project.text(place) ?? '', { bom: false, utf16: false });
  if (!document.ok || document.root === undefined || words.some(isUnknown))
    return { ...noCode, files: [place] };
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
  const folder = project.machine.path.dirname(place);
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
      ? [`the programs that tasks of ${project.relative(place)} call`]
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
