/** Whether git ignores a file, according to the ignore files of its repository. Does not run git. */

import { decodeText } from '../../documents/decode.ts';
import { matchesGlob } from '../../kernel/glob.ts';
import type { Machine } from '../../kernel/machine.ts';
import type { Files } from '../../platform/files/files.ts';

const maxBytes = 1 << 20;

/** Undefined outside a repository. */
export function isGitIgnored(file: string, machine: Machine, files: Files): boolean | undefined {
  const { path, projectRoot } = machine;
  const way = path.relative(projectRoot, file).split(path.sep);
  if (!machine.inRepository || way[0] === '..' || path.isAbsolute(way.join(path.sep))) return undefined;
  const lists = [
    { folder: 0, list: path.join(projectRoot, '.git', 'info', 'exclude') },
    ...way.map((_, depth) => ({
      folder: depth,
      list: path.join(projectRoot, ...way.slice(0, depth), '.gitignore'),
    })),
  ];
  let ignored = false;
  for (const { folder, list } of lists) {
    for (const { pattern, negated } of readPatterns(list, files)) {
      if (matchesPath(pattern, way.slice(folder))) ignored = !negated;
    }
  }
  return ignored;
}

interface Pattern {
  readonly pattern: string;
  readonly negated: boolean;
}

function readPatterns(list: string, files: Files): readonly Pattern[] {
  const outcome = files.load(list, maxBytes);
  if (outcome.kind !== 'file') return [];
  return decodeText(outcome.bytes)
    .text.split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ pattern: line.replace(/^!/, ''), negated: line.startsWith('!') }));
}

/** True when the pattern matches the file or one of its parent folders. */
function matchesPath(written: string, way: readonly string[]): boolean {
  const onlyFolders = written.endsWith('/');
  const pattern = written.replace(/\/$/, '');
  const anchored = pattern.includes('/');
  // Several `**` in a row mean the same as one, and would only take time.
  const wanted = pattern
    .replace(/^\//, '')
    .split('/')
    .filter((segment, index, all) => segment !== '**' || all[index - 1] !== '**');
  const last = onlyFolders ? way.length - 1 : way.length;
  for (let end = 1; end <= last; end += 1) {
    const candidate = way.slice(0, end);
    if (anchored ? matchesSegments(wanted, candidate) : matchesGlob(pattern, candidate.at(-1) ?? ''))
      return true;
  }
  return false;
}

/** `**` matches any number of folders. */
function matchesSegments(wanted: readonly string[], way: readonly string[]): boolean {
  const [first, ...rest] = wanted;
  if (first === undefined) return way.length === 0;
  if (first === '**')
    return way.some((_, index) => matchesSegments(rest, way.slice(index))) || rest.length === 0;
  const [segment, ...deeper] = way;
  return segment !== undefined && matchesGlob(first, segment) && matchesSegments(rest, deeper);
}
