/**
 * Finds the project code that a definition names on its command line or that its runner executes. An approval
 * covers this code.
 */

import { sha256 } from '../kernel/hash.ts';
import { parseObject } from '../kernel/json.ts';
import { isInside, type Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { FileOutcome, Files } from '../platform/files/files.ts';
import { realPathNow } from '../platform/files/real-path.ts';
import { commandWords, wordsOfText, type CommandWords } from './naming/command-words.ts';
import {
  createProjectReader,
  type FilePart,
  type InnerLine,
  type ProjectReader,
} from './runners/executed-code.ts';
import { codeOfLine, isRunner } from './runners/runner-table.ts';

export interface ProjectFile {
  /** Relative to the project root. Absolute when only the target of its link is inside the project. */
  readonly path: string;
  /** SHA-256 of the real path and the content; `unknown` when the content cannot be determined. */
  readonly hash: string;
  /** The target of a link that leads out of the project. */
  readonly leadsTo?: string;
  /** Set when only one value of the file counts, such as a script of `package.json`. */
  readonly part?: { readonly name: string; readonly text: string };
}

export interface ProjectCode {
  readonly files: readonly ProjectFile[];
  /** Descriptions of project code that would run but is not part of the approval. */
  readonly gaps: readonly string[];
}

const maxBytes = 64 << 20;
/**
 * Each named folder costs a lookup of every word. A list of many folders is data, not a path to a program.
 */
const maxFolders = 8;
/** No real command line has this many words, and with folders each word costs several lookups. */
const maxWords = 4096;
/** Extensions that programs add when a word names no file, as in `node server`. */
const extensions = ['.js', '.json', '.mjs', '.cjs', '.ts', '.py', '.rb', '.sh'];
/** A word that may lack its extension: not a flag, and not a package with a scope or a version. */
const lacksExtension = /^[^-@][^=,:@]*$/;
const folderEntryFiles = ['package.json', 'index.js', 'index.mjs', 'index.cjs', 'index.ts', '__main__.py'];

/** A script may run a script, but real projects do not nest them deeper. */
const maxScriptDepth = 6;
const maxScripts = 64;
const maxRunnerFiles = 400;

/**
 * Returns the files alone. `realPath` resolves links without opening files, so nothing outside the project is
 * opened.
 */
export function projectFiles(
  definition: ServerDefinition,
  machine: Machine,
  files: Files,
  realPath: (place: string) => string = realPathNow,
): readonly ProjectFile[] {
  return findProjectCode(definition, machine, files, realPath).files;
}

export function findProjectCode(
  definition: ServerDefinition,
  machine: Machine,
  files: Files,
  realPath: (place: string) => string = realPathNow,
): ProjectCode {
  const search = new CodeSearch(machine, files, realPath);
  commandWords(definition, machine).forEach((line) => search.visit(line));
  return search.result();
}

/** Collects the files of one definition. */
class CodeSearch {
  readonly #machine: Machine;
  readonly #files: Files;
  readonly #realPath: (place: string) => string;
  readonly #project: ProjectReader;
  readonly #found = new Map<string, ProjectFile>();
  readonly #gaps = new Set<string>();
  readonly #scripts = new Set<string>();
  #runnerFiles = 0;

  constructor(machine: Machine, files: Files, realPath: (place: string) => string) {
    this.#machine = machine;
    this.#files = files;
    this.#realPath = realPath;
    this.#project = createProjectReader(machine, files, (place) => this.#isInProject(place));
  }

  result(): ProjectCode {
    const sorted = [...this.#found.values()].toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
    if (this.#project.isOverLimit()) this.#gaps.add('some of the files that its runners read');
    return { files: sorted, gaps: [...this.#gaps].toSorted() };
  }

  visit(line: CommandWords, depth = 0): void {
    const seen = new Set<string>();
    // The line itself may name the folder that words are relative to: `env -C folder`, `cd folder && …`.
    const bases = [line.folder];
    const maxBases = line.words.length > maxWords ? 0 : maxFolders;
    // Compare real paths: a link to its own folder adds nothing new.
    const isNew = (place: string): boolean =>
      bases.every((base) => base !== place && this.#realPath(base) !== this.#realPath(place));
    const tryWord = (word: string, place: string): void => {
      if (seen.has(place) || !isPossible(place) || !this.#isInProject(place)) return;
      seen.add(place);
      const outcome = this.#load(place);
      if (isFolder(outcome)) {
        entriesOf(place, line.taskFiles, this.#machine, this.#files).forEach((entry) =>
          this.#loadIfThere(entry),
        );
        if (bases.length <= maxBases && isNew(place)) bases.push(place);
      }
      // In a script, the name of a runner is a program: `deno` does not mean `deno.json`.
      const isProgram = depth > 0 && isRunner(word);
      if (outcome.kind === 'missing' && lacksExtension.test(word) && !isProgram)
        extensions.forEach((ending) => this.#loadIfThere(place + ending));
    };
    for (const base of bases)
      line.words.forEach((word) => tryWord(word, this.#machine.path.resolve(base, word)));
    for (const folder of this.#realFolders(bases)) this.#visitRunners(line, folder, depth);
  }

  #visitRunners({ lines }: CommandWords, folder: string, depth: number): void {
    for (const line of lines) {
      const covered = codeOfLine(line, { folder, isScript: depth > 0 }, this.#project);
      covered.files.forEach((place) => this.#loadOfRunner(place));
      covered.parts.forEach((part) => this.#addPart(part));
      covered.gaps.forEach((gap) => this.#gaps.add(gap));
      covered.lines.forEach((inner) => this.#visitScript(inner, depth + 1));
    }
  }

  /**
   * Returns each folder and its real path, if inside the project. Programs search upwards for their files,
   * and through a link the parent folders are different ones.
   */
  #realFolders(folders: readonly string[]): ReadonlySet<string> {
    const all = folders.flatMap((folder) => [folder, this.#realPath(folder)]);
    return new Set(all.filter((folder) => isInside(folder, this.#machine.projectRoot, this.#machine)));
  }

  #visitScript({ folder, text }: InnerLine, depth: number): void {
    const key = `${folder}\0${text}`;
    if (this.#scripts.has(key)) return;
    this.#scripts.add(key);
    if (depth > maxScriptDepth || this.#scripts.size > maxScripts)
      this.#gaps.add('some of the scripts that call each other');
    else this.visit(wordsOfText([text], folder), depth);
  }

  /**
   * Checks the path as written and its real path: a link may lead in or out, and some file systems ignore
   * case.
   */
  #isInProject(place: string): boolean {
    const { projectRoot } = this.#machine;
    return (
      isInside(place, projectRoot, this.#machine) ||
      isInside(this.#realPath(place), projectRoot, this.#machine)
    );
  }

  #load(place: string): FileOutcome {
    const outcome = this.#files.load(place, maxBytes);
    const named = fileRecord(place, outcome, this.#machine);
    if (named !== undefined) this.#found.set(place, named);
    return outcome;
  }

  #loadIfThere(place: string): void {
    if (this.#files.exists(place)) this.#load(place);
  }

  #loadOfRunner(place: string): void {
    if (this.#found.has(place) || !isPossible(place) || !this.#isInProject(place)) return;
    this.#runnerFiles += 1;
    if (this.#runnerFiles > maxRunnerFiles) this.#gaps.add('some of the files that its runners read');
    else this.#loadIfThere(place);
  }

  #addPart({ place, name, text }: FilePart): void {
    const bytes = Buffer.from(text);
    const facts = { uid: 0, gid: 0, mode: 0 };
    const outcome: FileOutcome = { kind: 'file', bytes, realPath: this.#realPath(place), facts };
    const named = fileRecord(place, outcome, this.#machine);
    if (named !== undefined) this.#found.set(`${place}\0${name}`, { ...named, part: { name, text } });
  }
}

function keyOf({ path, part }: ProjectFile): string {
  return `${path}\0${part?.name ?? ''}`;
}

/** False for strings that are too long to be a file name, such as a long script or padding. */
function isPossible(place: string): boolean {
  return place.length <= 4096 && place.split(/[\\/]/).every((step) => Buffer.byteLength(step) <= 255);
}

function isFolder(outcome: FileOutcome): boolean {
  return outcome.kind === 'not-regular' && outcome.what === 'a folder';
}

/** Returns the files that a program starts with when it is given a folder. */
function entriesOf(
  folder: string,
  taskFiles: readonly string[],
  machine: Machine,
  files: Files,
): readonly string[] {
  if (!isInside(folder, machine.projectRoot, machine)) return [];
  const { path } = machine;
  const main = mainOf(files.load(path.join(folder, 'package.json'), maxBytes));
  return [...folderEntryFiles, ...taskFiles, ...(main === undefined ? [] : [main, `${main}.js`])].map(
    (name) => path.resolve(folder, name),
  );
}

function mainOf(outcome: FileOutcome): string | undefined {
  if (outcome.kind !== 'file') return undefined;
  const main = parseObject(Buffer.from(outcome.bytes).toString('utf8'))?.['main'];
  return typeof main === 'string' ? main : undefined;
}

function fileRecord(place: string, outcome: FileOutcome, machine: Machine): ProjectFile | undefined {
  const inProject = (path: string): boolean => isInside(path, machine.projectRoot, machine);
  const path = inProject(place) ? machine.path.relative(machine.projectRoot, place) : place;
  // A missing file is not part of the approval; when it appears, that is a change.
  if (outcome.kind === 'missing' || isFolder(outcome)) return undefined;
  if (outcome.kind !== 'file') return { path, hash: 'unknown' };
  const hash = sha256(outcome.realPath, '\0', outcome.bytes);
  return { path, hash, ...(inProject(outcome.realPath) ? {} : { leadsTo: outcome.realPath }) };
}
