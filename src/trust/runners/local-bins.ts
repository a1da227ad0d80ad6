/** Programs in `node_modules/.bin`: `npx tool` runs the project's own program before it fetches a package. */

import { isObject, parseObject } from '../../kernel/json.ts';
import { foldersUp, nothing, type Coverage, type Look, type RunnerCall } from './coverage.ts';
import { workspaceManifests } from './workspaces.ts';

/** Package managers write a small script instead of a link: all of them on Windows, pnpm everywhere. */
const shimTarget = /(?:\$basedir|%~dp0|%dp0%)[\\/]+([^"'\s]+)/g;

const maxNames = 256;

export function binCoverage(call: RunnerCall, look: Look): Coverage {
  const { args, folder } = call;
  const words = args
    .flatMap((arg) => arg.split(/[\s=]+/))
    .filter((word) => word !== '' && !word.startsWith('-'));
  const names = [...new Set(words)];
  const members = workspaceManifests(call, look).map((place) => look.machine.path.dirname(place));
  const files = names
    .slice(0, maxNames)
    .flatMap((name) => [folder, ...members].flatMap((from) => filesOf(name, from, look)));
  return { ...nothing, files, gaps: names.length > maxNames ? ['some of its many words'] : [] };
}

function filesOf(word: string, folder: string, look: Look): readonly string[] {
  const { path } = look.machine;
  // `npx .` runs the program of the package in that folder.
  if (/^\.{0,2}[\\/]|^\.{1,2}$|^file:/.test(word))
    return declaredBins(path.resolve(folder, word.replace(/^file:(?:\/\/)?/, '')), look);
  const name = word.replace(/(?<=.)@.*$/, '');
  if (!/^(?:@[\w.~-]+\/)?[\w.~-]+$/.test(name) || name.startsWith('.')) return [];
  for (const above of foldersUp(folder, look)) {
    const modules = path.join(above, 'node_modules');
    const linked = name.startsWith('@')
      ? []
      : ['', '.cmd', '.exe', '.bunx'].map((end) => path.join(modules, '.bin', name + end));
    const found = linked.filter((place) => look.exists(place));
    const files = [
      ...found.flatMap((place) => [place, ...shimTargets(place, look)]),
      ...declaredBins(path.join(modules, name), look),
    ];
    if (files.length > 0) return files;
  }
  return [];
}

function shimTargets(place: string, look: Look): readonly string[] {
  const { path } = look.machine;
  const text = look.text(place) ?? '';
  return [...text.matchAll(shimTarget)]
    .map(([, target = '']) => path.resolve(path.dirname(place), target.replaceAll('\\', '/')))
    .filter((target) => look.isOurs(target) && look.exists(target) && !look.isFolder(target));
}

/** Returns the existing files that the `bin` field of a package names. */
function declaredBins(folder: string, look: Look): readonly string[] {
  const text = look.text(look.machine.path.join(folder, 'package.json'));
  const bin = text === undefined ? undefined : parseObject(text)?.['bin'];
  const targets = typeof bin === 'string' ? [bin] : isObject(bin) ? Object.values(bin) : [];
  return targets
    .filter((target) => typeof target === 'string')
    .map((target) => look.machine.path.resolve(folder, target))
    .filter((target) => look.exists(target) && !look.isFolder(target));
}
