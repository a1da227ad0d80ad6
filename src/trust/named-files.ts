/** The files inside a project that a definition names on its command line. What they hold is part of what an approval covers. */

import { createHash } from 'node:crypto';

import { isInside, type Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { FileOutcome, Files } from '../platform/files.ts';
import { realPathNow } from '../platform/real-path.ts';
import { commandWords, type CommandWords } from './naming/command-words.ts';

export interface NamedFile {
  /** Relative to the project's root; as it is when only its link's target lies in the project. */
  readonly path: string;
  /** SHA-256 over where links lead and what is there; `unknown` when that cannot be told. */
  readonly hash: string;
  /** Set when a link in the project leads out of it. */
  readonly leadsTo?: string;
}

const maxBytes = 64 << 20;
/** Each folder that is named costs a look at every word; a list of many is data and not a way to a program. */
const maxFolders = 8;
/** Nobody writes a line of so many words, and with folders each of them would cost several looks. */
const maxWords = 4096;
/** What programs try by themselves when a word names no file: `node server`, `node .`, `python folder`. */
const endings = ['.js', '.json', '.mjs', '.cjs', '.ts', '.py', '.sh'];
/** A word that may lack its ending: no flag, no package of somebody's. */
const unfinished = /^[^-@][^=,:@]*$/;
const inFolders = ['package.json', 'index.js', 'index.mjs', 'index.cjs', 'index.ts', '__main__.py'];

/** `realPath` follows links without looking into files: what lies outside the project is not opened. */
export function namedFiles(
  definition: ServerDefinition,
  machine: Machine,
  files: Files,
  realPath: (place: string) => string = realPathNow,
): readonly NamedFile[] {
  const found = new Map<string, NamedFile>();
  const look = (place: string): FileOutcome => {
    const outcome = files.load(place, maxBytes);
    const named = describe(place, outcome, machine);
    if (named !== undefined) found.set(place, named);
    return outcome;
  };
  const lookIfThere = (place: string): void => {
    if (files.exists(place)) look(place);
  };
  // Judged by both names: a link may lead in or out, and some disks do not tell capitals apart.
  const isOurs = (place: string): boolean =>
    isInside(place, machine.projectRoot, machine) || isInside(realPath(place), machine.projectRoot, machine);
  const visit = (line: CommandWords): void => {
    const seen = new Set<string>();
    // `env -C folder`, `cd folder && …`: what a word is relative to may stand on the line itself.
    const bases = [line.folder];
    const room = line.words.length > maxWords ? 0 : maxFolders;
    // By their true names: a link to its own folder leads nowhere new.
    const isNew = (place: string): boolean =>
      bases.every((base) => base !== place && realPath(base) !== realPath(place));
    const tryWord = (word: string, place: string): void => {
      if (seen.has(place) || !isPossible(place) || !isOurs(place)) return;
      seen.add(place);
      const outcome = look(place);
      if (isFolder(outcome)) {
        entriesOf(place, line.taskFiles, machine, files).forEach(lookIfThere);
        if (bases.length <= room && isNew(place)) bases.push(place);
      }
      if (outcome.kind === 'missing' && unfinished.test(word))
        endings.forEach((ending) => lookIfThere(place + ending));
    };
    for (const base of bases) line.words.forEach((word) => tryWord(word, machine.path.resolve(base, word)));
  };
  commandWords(definition, machine).forEach(visit);
  return [...found.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1));
}

/** A text that no file can be called: a long script or padding is no name. */
function isPossible(place: string): boolean {
  return place.length <= 4096 && place.split(/[\\/]/).every((step) => Buffer.byteLength(step) <= 255);
}

function isFolder(outcome: FileOutcome): boolean {
  return outcome.kind === 'not-regular' && outcome.what === 'a folder';
}

/** What a program that is given a folder would begin with. */
function entriesOf(
  folder: string,
  taskFiles: readonly string[],
  machine: Machine,
  files: Files,
): readonly string[] {
  if (!isInside(folder, machine.projectRoot, machine)) return [];
  const { path } = machine;
  const main = mainOf(files.load(path.join(folder, 'package.json'), maxBytes));
  return [...inFolders, ...taskFiles, ...(main === undefined ? [] : [main, `${main}.js`])].map((name) =>
    path.resolve(folder, name),
  );
}

function mainOf(outcome: FileOutcome): string | undefined {
  if (outcome.kind !== 'file') return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(outcome.bytes).toString('utf8'));
    if (typeof value !== 'object' || value === null || !('main' in value)) return undefined;
    return typeof value.main === 'string' ? value.main : undefined;
  } catch {
    return undefined;
  }
}

function describe(place: string, outcome: FileOutcome, machine: Machine): NamedFile | undefined {
  const inProject = (path: string): boolean => isInside(path, machine.projectRoot, machine);
  const path = inProject(place) ? machine.path.relative(machine.projectRoot, place) : place;
  // A file that is not there has no part in it; when it appears, that is a change.
  if (outcome.kind === 'missing' || isFolder(outcome)) return undefined;
  if (outcome.kind !== 'file') return { path, hash: 'unknown' };
  const hash = createHash('sha256').update(outcome.realPath).update('\0').update(outcome.bytes).digest('hex');
  return { path, hash, ...(inProject(outcome.realPath) ? {} : { leadsTo: outcome.realPath }) };
}
