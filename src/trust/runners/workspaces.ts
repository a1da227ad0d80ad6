/**
 * Workspace members that a command selects: `npm run x -w name`, `pnpm --filter name x`, `yarn workspace name
 * x`.
 */

import { isObject, parseObject } from '../../kernel/json.ts';
import { foldersUp, type Look, type RunnerCall } from './coverage.ts';

const options =
  /^(?:-w|-ws|-F|-r|--workspaces?(?:=.*)?|--filter(?:-prod)?(?:=.*)?|--recursive|workspaces?|foreach)$/;
/** The lookup limit bounds the number of members; a list of patterns is short. */
const maxPatterns = 32;

/** Returns the manifests of the selected members, or of all members when the line names none. */
export function workspaceManifests({ args, folder }: RunnerCall, look: Look): readonly string[] {
  if (!args.some((word) => options.test(word))) return [];
  const words = new Set(args.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]));
  return foldersUp(folder, look).flatMap((root) => {
    const members = membersOf(root, look);
    const named = members.filter((place) => isNamed(place, root, words, look));
    return named.length > 0 ? named : members;
  });
}

function isNamed(place: string, root: string, words: ReadonlySet<string>, look: Look): boolean {
  const { path } = look.machine;
  const folder = path.relative(root, path.dirname(place)).replaceAll('\\', '/');
  const name = parseObject(look.text(place) ?? '')?.['name'];
  return words.has(folder) || words.has(`./${folder}`) || (typeof name === 'string' && words.has(name));
}

function membersOf(root: string, look: Look): readonly string[] {
  const { path } = look.machine;
  const folders = patternsOf(root, look)
    .slice(0, maxPatterns)
    .flatMap((pattern) => expand(root, pattern.replace(/^\.\//, '').split('/'), look, 0));
  const manifests = [...new Set(folders)].map((folder) => path.join(folder, 'package.json'));
  return manifests.filter((place) => look.exists(place));
}

function patternsOf(root: string, look: Look): readonly string[] {
  const { path } = look.machine;
  const listed = parseObject(look.text(path.join(root, 'package.json')) ?? '')?.['workspaces'];
  const packages = isObject(listed) ? listed['packages'] : listed;
  const ofNpm = Array.isArray(packages) ? packages.filter((one) => typeof one === 'string') : [];
  const yaml = look.text(path.join(root, 'pnpm-workspace.yaml')) ?? '';
  const ofPnpm = [...yaml.matchAll(/^\s*-\s*['"]?([^'"#\s]+)/gm)].map(([, pattern = '']) => pattern);
  return [...ofNpm, ...ofPnpm].filter((pattern) => !pattern.startsWith('!'));
}

/** Follows `**` three levels down. */
function expand(folder: string, steps: readonly string[], look: Look, depth: number): readonly string[] {
  const [step, ...rest] = steps;
  if (step === undefined || step === '') return [folder];
  const { path } = look.machine;
  if (!step.includes('*')) return expand(path.join(folder, step), rest, look, depth);
  const [before = '', after = ''] = step.split('*');
  const inner = look
    .list(folder)
    .filter(
      (name) =>
        name !== 'node_modules' && !name.startsWith('.') && name.startsWith(before) && name.endsWith(after),
    )
    .map((name) => path.join(folder, name));
  if (step !== '**') return inner.flatMap((place) => expand(place, rest, look, depth));
  const deeper = depth < 3 ? inner.flatMap((place) => expand(place, steps, look, depth + 1)) : [];
  return [...expand(folder, rest, look, depth), ...deeper];
}
