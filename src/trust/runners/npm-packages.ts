/** npm packages of the project: programs in `node_modules/.bin`, and the members of a workspace. */

import { isObject, parseObject } from '../../kernel/json.ts';
import {
  foldersUp,
  noCode,
  type ExecutedCode,
  type ProjectReader,
  type RunnerCall,
} from './executed-code.ts';

/** Package managers write a small script instead of a link: all of them on Windows, pnpm everywhere. */
const shimTarget = /(?:\$basedir|%~dp0|%dp0%)[\\/]+([^"'\s]+)/g;

const maxNames = 256;

/** `npx tool` runs the project's own program before it fetches a package. */
export function localPrograms(call: RunnerCall, project: ProjectReader): ExecutedCode {
  const { args, folder } = call;
  const words = args
    .flatMap((arg) => arg.split(/[\s=]+/))
    .filter((word) => word !== '' && !word.startsWith('-'));
  const names = [...new Set(words)];
  const members = workspaceManifests(call, project).map((place) => project.machine.path.dirname(place));
  const files = names
    .slice(0, maxNames)
    .flatMap((name) => [folder, ...members].flatMap((from) => filesOf(name, from, project)));
  return { ...noCode, files, gaps: names.length > maxNames ? ['some of its many words'] : [] };
}

function filesOf(word: string, folder: string, project: ProjectReader): readonly string[] {
  const { path } = project.machine;
  // `npx .` runs the program of the package in that folder.
  if (/^\.{0,2}[\\/]|^\.{1,2}$|^file:/.test(word))
    return declaredBins(path.resolve(folder, word.replace(/^file:(?:\/\/)?/, '')), project);
  const name = word.replace(/(?<=.)@.*$/, '');
  if (!/^(?:@[\w.~-]+\/)?[\w.~-]+$/.test(name) || name.startsWith('.')) return [];
  for (const above of foldersUp(folder, project)) {
    const modules = path.join(above, 'node_modules');
    const linked = name.startsWith('@')
      ? []
      : ['', '.cmd', '.exe', '.bunx'].map((end) => path.join(modules, '.bin', name + end));
    const found = linked.filter((place) => project.exists(place));
    const files = [
      ...found.flatMap((place) => [place, ...shimTargets(place, project)]),
      ...declaredBins(path.join(modules, name), project),
    ];
    if (files.length > 0) return files;
  }
  return [];
}

function shimTargets(place: string, project: ProjectReader): readonly string[] {
  const { path } = project.machine;
  const text = project.text(place) ?? '';
  return [...text.matchAll(shimTarget)]
    .map(([, target = '']) => path.resolve(path.dirname(place), target.replaceAll('\\', '/')))
    .filter((target) => project.isInProject(target) && project.exists(target) && !project.isFolder(target));
}

/** Returns the existing files that the `bin` field of a package names. */
function declaredBins(folder: string, project: ProjectReader): readonly string[] {
  const text = project.text(project.machine.path.join(folder, 'package.json'));
  const bin = text === undefined ? undefined : parseObject(text)?.['bin'];
  const targets = typeof bin === 'string' ? [bin] : isObject(bin) ? Object.values(bin) : [];
  return targets
    .filter((target) => typeof target === 'string')
    .map((target) => project.machine.path.resolve(folder, target))
    .filter((target) => project.exists(target) && !project.isFolder(target));
}

const workspaceOptions =
  /^(?:-w|-ws|-F|-r|--workspaces?(?:=.*)?|--filter(?:-prod)?(?:=.*)?|--recursive|workspaces?|foreach)$/;
/** The lookup limit bounds the number of members; a list of patterns is short. */
const maxPatterns = 32;

/** Returns the manifests of the selected members, or of all members when the line names none. */
export function workspaceManifests({ args, folder }: RunnerCall, project: ProjectReader): readonly string[] {
  if (!args.some((word) => workspaceOptions.test(word))) return [];
  const words = new Set(args.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]));
  return foldersUp(folder, project).flatMap((root) => {
    const members = membersOf(root, project);
    const named = members.filter((place) => isNamed(place, root, words, project));
    return named.length > 0 ? named : members;
  });
}

function isNamed(place: string, root: string, words: ReadonlySet<string>, project: ProjectReader): boolean {
  const { path } = project.machine;
  const folder = path.relative(root, path.dirname(place)).replaceAll('\\', '/');
  const name = parseObject(project.text(place) ?? '')?.['name'];
  return words.has(folder) || words.has(`./${folder}`) || (typeof name === 'string' && words.has(name));
}

function membersOf(root: string, project: ProjectReader): readonly string[] {
  const { path } = project.machine;
  const folders = patternsOf(root, project)
    .slice(0, maxPatterns)
    .flatMap((pattern) => expand(root, pattern.replace(/^\.\//, '').split('/'), project, 0));
  const manifests = [...new Set(folders)].map((folder) => path.join(folder, 'package.json'));
  return manifests.filter((place) => project.exists(place));
}

function patternsOf(root: string, project: ProjectReader): readonly string[] {
  const { path } = project.machine;
  const listed = parseObject(project.text(path.join(root, 'package.json')) ?? '')?.['workspaces'];
  const packages = isObject(listed) ? listed['packages'] : listed;
  const ofNpm = Array.isArray(packages) ? packages.filter((one) => typeof one === 'string') : [];
  const yaml = project.text(path.join(root, 'pnpm-workspace.yaml')) ?? '';
  const ofPnpm = [...yaml.matchAll(/^\s*-\s*['"]?([^'"#\s]+)/gm)].map(([, pattern = '']) => pattern);
  return [...ofNpm, ...ofPnpm].filter((pattern) => !pattern.startsWith('!'));
}

/** Follows `**` three levels down. */
function expand(
  folder: string,
  steps: readonly string[],
  project: ProjectReader,
  depth: number,
): readonly string[] {
  const [step, ...rest] = steps;
  if (step === undefined || step === '') return [folder];
  const { path } = project.machine;
  if (!step.includes('*')) return expand(path.join(folder, step), rest, project, depth);
  const [before = '', after = ''] = step.split('*');
  const inner = project
    .list(folder)
    .filter(
      (name) =>
        name !== 'node_modules' && !name.startsWith('.') && name.startsWith(before) && name.endsWith(after),
    )
    .map((name) => path.join(folder, name));
  if (step !== '**') return inner.flatMap((place) => expand(place, rest, project, depth));
  const deeper = depth < 3 ? inner.flatMap((place) => expand(place, steps, project, depth + 1)) : [];
  return [...expand(folder, rest, project, depth), ...deeper];
}
