/** What a runner executes, as far as its command line and its project files determine it. */

import { isInside, type Machine } from '../../kernel/machine.ts';
import type { Files } from '../../platform/files/files.ts';

/**
 * One value of a file, such as a script of `package.json`. The rest of the file is not part of the approval.
 */
export interface FilePart {
  readonly place: string;
  readonly name: string;
  readonly text: string;
}

/** A command line that the runner executes in a folder. */
export interface InnerLine {
  readonly folder: string;
  readonly text: string;
}

export interface ExecutedCode {
  readonly files: readonly string[];
  readonly parts: readonly FilePart[];
  readonly lines: readonly InnerLine[];
  /** Descriptions of project code that would run but cannot be determined. */
  readonly gaps: readonly string[];
}

export interface RunnerCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
}

export type Runner = (call: RunnerCall, project: ProjectReader) => ExecutedCode;

export const noCode: ExecutedCode = { files: [], parts: [], lines: [], gaps: [] };

export function joinCode(all: readonly ExecutedCode[]): ExecutedCode {
  return {
    files: all.flatMap(({ files }) => files),
    parts: all.flatMap(({ parts }) => parts),
    lines: all.flatMap(({ lines }) => lines),
    gaps: all.flatMap(({ gaps }) => gaps),
  };
}

/** Reads project files for runners, within limits. */
export interface ProjectReader {
  readonly machine: Machine;
  /** Undefined when the file is missing, cannot be read completely, or must not be read. */
  text(place: string): string | undefined;
  exists(place: string): boolean;
  isFolder(place: string): boolean;
  list(folder: string): readonly string[];
  isInProject(place: string): boolean;
  /** The path relative to the project root, with forward slashes. */
  relative(place: string): string;
  /** True when a limit was reached, so that the result may be incomplete. */
  isOverLimit(): boolean;
}

/** Manifests and task files are small; a larger one is hashed as a whole instead of by its parts. */
const maxTextBytes = 4 << 20;
const maxTotalBytes = 64 << 20;
const maxReads = 4000;

export function createProjectReader(
  machine: Machine,
  files: Files,
  isInProject: (place: string) => boolean,
): ProjectReader {
  let reads = 0;
  let bytes = 0;
  const texts = new Map<string, string | undefined>();
  const isOverLimit = (): boolean => reads >= maxReads || bytes >= maxTotalBytes;
  const mayRead = (place: string): boolean => {
    if (isOverLimit() || place.includes('\0') || !isInProject(place)) return false;
    reads += 1;
    return true;
  };
  const load = (place: string): string | undefined => {
    const outcome = files.load(place, maxTextBytes);
    if (outcome.kind !== 'file') return undefined;
    bytes += outcome.bytes.length;
    return Buffer.from(outcome.bytes).toString('utf8');
  };
  return {
    machine,
    text: (place) => {
      if (!texts.has(place) && mayRead(place)) texts.set(place, load(place));
      return texts.get(place);
    },
    exists: (place) => mayRead(place) && files.exists(place),
    isFolder: (place) => {
      if (!mayRead(place)) return false;
      const outcome = files.load(place, 0);
      return outcome.kind === 'not-regular' && outcome.what === 'a folder';
    },
    list: (folder) => (mayRead(folder) ? files.list(folder) : []),
    isInProject,
    relative: (place) => machine.path.relative(machine.projectRoot, place).replaceAll('\\', '/') || '.',
    isOverLimit,
  };
}

/** Returns the folder and its parents, up to the project root. */
export function foldersUp(folder: string, { machine }: ProjectReader): readonly string[] {
  const { path, projectRoot } = machine;
  const folders: string[] = [];
  for (let at = folder; isInside(at, projectRoot, machine); at = path.dirname(at)) {
    folders.push(at);
    if (at === projectRoot || path.dirname(at) === at) break;
  }
  return folders;
}

/** Returns the first of these files that exists in the folder or, failing that, in one of its parents. */
export function nearest(
  folder: string,
  names: readonly string[],
  project: ProjectReader,
): string | undefined {
  const places = foldersUp(folder, project).flatMap((above) =>
    names.map((name) => project.machine.path.join(above, name)),
  );
  return places.find((place) => project.exists(place));
}

/** Returns the values of an option, whether separate or attached: `-f x`, `-fx`, `--file x`, `--file=x`. */
export function optionValues(args: readonly string[], options: readonly string[]): readonly string[] {
  return args.flatMap((word, index) => {
    if (options.includes(word)) return args[index + 1] ?? [];
    const option = options.find((one) => word.startsWith(one.startsWith('--') ? `${one}=` : one));
    if (option === undefined) return [];
    return word.slice(option.length).replace(/^=/, '');
  });
}

/** True for a value that only a shell or the environment can resolve. */
export function isUnknown(word: string): boolean {
  return /[\0$`]/.test(word);
}

/** Returns the words that are not options. */
export function plainWords(args: readonly string[]): readonly string[] {
  return args.filter((word) => !word.startsWith('-'));
}
