/** Python packages of the project: `python -m pkg` and the scripts that `pyproject.toml` declares. */

import { moduleNames } from '../naming/path-words.ts';
import {
  joinCode,
  nearest,
  noCode,
  optionValues,
  plainWords,
  type ExecutedCode,
  type ProjectReader,
  type RunnerCall,
} from './executed-code.ts';

/**
 * `-m pkg`: the files that run first are covered as named files. This covers what `-c` imports, and reports
 * that a package has more files.
 */
export function pythonModule({ args, folder }: RunnerCall, project: ProjectReader): ExecutedCode {
  const { path } = project.machine;
  const imported = importedModules(args);
  const files = imported
    .flatMap(moduleFilesOf)
    .map((file) => path.join(folder, file))
    .filter((file) => project.exists(file));
  const packages = [...moduleNames(args), ...imported]
    .map((name) => path.join(folder, name.split('.')[0] ?? ''))
    .filter((place) => project.isFolder(place));
  return {
    ...noCode,
    files,
    gaps: packages.map((place) => `other modules of the Python package ${project.relative(place)}`),
  };
}

const maxImports = 64;

/** `python -c "from pkg import main; main()"`. */
function importedModules(args: readonly string[]): readonly string[] {
  const texts = args.filter((_, at) => /^-[bBdEiIOPqRsSuvx]*c$/.test(args[at - 1] ?? ''));
  return texts
    .flatMap((text) => [...text.matchAll(/\b(?:import|from)\s+([\w.]+(?:\s*,\s*[\w.]+)*)/g)])
    .flatMap(([, names = '']) => names.split(/\s*,\s*/))
    .slice(0, maxImports);
}

/** Files other than `pyproject.toml` that declare scripts. */
const scriptFiles: ReadonlyMap<string, string> = new Map([
  ['pipenv', 'Pipfile'],
  ['hatch', 'hatch.toml'],
]);

/** `uv run NAME`, `poetry run NAME`. */
export function projectRun(call: RunnerCall, project: ProjectReader): ExecutedCode {
  const at = call.args.indexOf('run');
  const scriptFile = scriptFiles.get(call.program);
  const own = scriptFile === undefined ? undefined : nearest(call.folder, [scriptFile], project);
  return joinCode([
    { ...noCode, files: own === undefined ? [] : [own] },
    pythonModule(call, project),
    localPackages(call, project),
    ...(at === -1 ? [] : [projectScripts({ ...call, args: call.args.slice(at + 1) }, project)]),
  ]);
}

/** `uvx --from . x` builds and runs the package in a folder. */
export function localPackages({ args, folder }: RunnerCall, project: ProjectReader): ExecutedCode {
  // The package itself comes first; later words belong to the program.
  const first = args.findIndex((word) => !word.startsWith('-'));
  const free = args.findIndex((word, at) => !word.startsWith('-') && args[at - 1]?.startsWith('-') !== true);
  const paths = [args[first] ?? '', args[free] ?? ''].filter((word) =>
    /^(?:\.{1,2}(?:[\\/]|$)|file:)/.test(word),
  );
  const given = optionValues(args, ['--from', '--with', '--with-editable', '--spec', '--editable']);
  const places = [...new Set([...given, ...paths])]
    .map((value) => project.machine.path.resolve(folder, value.replace(/^file:(?:\/\/)?/, '')))
    .filter((place) => project.isFolder(place));
  return { ...noCode, gaps: places.map((place) => `the Python package in ${project.relative(place)}`) };
}

function projectScripts({ program, args, folder }: RunnerCall, project: ProjectReader): ExecutedCode {
  const place = nearest(folder, ['pyproject.toml'], project);
  const words = plainWords(args);
  const isDeclaredElsewhere =
    words.some((word) => /\.\w+$|[\\/]/.test(word)) || args.some((arg) => /^-\w*m|^--module/.test(arg));
  const isInterpreter = words.some((word) => /^(?:python[\d.]*|node|deno|bun)$/.test(word));
  const isPlain = words.length === 0 || isDeclaredElsewhere || isInterpreter;
  if (place === undefined) return noCode;
  const text = project.text(place);
  if (text === undefined) return { ...noCode, files: [place] };
  const scripts = joinCode(words.map((word) => scriptOf(place, text, word, project)));
  const isFound = scripts.parts.length + scripts.files.length > 0;
  if (!isFound && isPlain && !buildsProject(program, args, text)) return noCode;
  return { ...scripts, gaps: [`the Python code that ${program} run executes`] };
}

/** True for programs that install the project, and so run its build, before they run anything else. */
function buildsProject(program: string, args: readonly string[], text: string): boolean {
  const isLeftOut = args.some((word) => /^(?:--no-project|--no-sync|--script|-s)$/.test(word));
  return ['uv', 'rye', 'hatch'].includes(program) && !isLeftOut && /^\s*\[\s*project\s*\]/m.test(text);
}

/** Covers the lines that assign the name. Where it could be written in another way, covers the whole file. */
function scriptOf(place: string, text: string, name: string, project: ProjectReader): ExecutedCode {
  if (name.includes('\0')) return { ...noCode, files: [place] };
  const lines = text.split('\n').filter((line) => assigned(line) === name);
  const isTricky = /"""|'''|\bscripts"?'?\s*[=.]|\\u/i.test(text);
  if (isTricky && text.includes(name)) return { ...noCode, files: [place] };
  if (lines.length === 0) return noCode;
  const { path } = project.machine;
  const folder = path.dirname(place);
  const modules = lines.flatMap((line) => /=\s*\{?.*?["']\s*([\w.]+)\s*(?::|["'])/.exec(line)?.[1] ?? []);
  const files = modules
    .flatMap((module) => moduleFilesOf(module))
    .flatMap((file) => [path.join(folder, file), path.join(folder, 'src', file)])
    .filter((file) => project.exists(file));
  return { ...noCode, files, parts: [{ place, name: `scripts.${name}`, text: lines.join('\n').trim() }] };
}

function assigned(line: string): string | undefined {
  const [, double, single, bare] = /^\s*(?:"([^"]*)"|'([^']*)'|([\w.-]+))\s*=/.exec(line) ?? [];
  return double ?? single ?? bare;
}

function moduleFilesOf(module: string): readonly string[] {
  const steps = module.split('.');
  const packages = steps.map((_, index) => `${steps.slice(0, index + 1).join('/')}/__init__.py`);
  return [`${steps.join('/')}.py`, ...packages];
}
