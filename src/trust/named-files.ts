/**
 * Finds the project code that a definition names on its command line or that its runner executes. An approval
 * covers this code.
 */

import { sha256 } from '../kernel/hash.ts';
import { isInside, type Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { FileOutcome, Files } from '../platform/files/files.ts';
import { realPathNow } from '../platform/files/real-path.ts';
import { commandWords, wordsOfText, type CommandWords } from './naming/command-words.ts';
import { createLook, type FilePart, type InnerLine, type Look } from './runners/coverage.ts';
import { coverageOfLine, isRunner } from './runners/runner-table.ts';

export interface NamedFile {
  /** Relative to the project root. Absolute when only the target of its link is inside the project. */
  readonly path: string;
  /** SHA-256 of the real path and the content; `unknown` when the content cannot be determined. */
  readonly hash: string;
  /** The target of a link that leads out of the project. */
  readonly leadsTo?: string;
  /** Set when only one value of the file counts, such as a script of `package.json`. */
  readonly part?: { readonly name: string; readonly text: string };
}

export interface NamedCode {
  readonly files: readonly NamedFile[];
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
const endings = ['.js', '.json', '.mjs', '.cjs', '.ts', '.py', '.rb', '.sh'];
/** A word that may lack its extension: not a flag, and not a package with a scope or a version. */
const unfinished = /^[^-@][^=,:@]*$/;
const inFolders = ['package.json', 'index.js', 'index.mjs', 'index.cjs', 'index.ts', '__main__.py'];

/** A script may run a script, but real projects do not nest them deeper. */
const maxScriptDepth = 6;
const maxScripts = 64;
const maxRunnerFiles = 400;

/**
 * Returns the files alone. `realPath` resolves links without opening files, so nothing outside the project is
 * opened.
 */
export function namedFiles(
  definition: ServerDefinition,
  machine: Machine,
  files: Files,
  realPath: (place: string) => string = realPathNow,
): readonly NamedFile[] {
  return namedCode(definition, machine, files, realPath).files;
}

export function namedCode(
  definition: ServerDefinition,
  machine: Machine,
  files: Files,
  realPath: (place: string) => string = realPathNow,
): NamedCode {
  const search = new CodeSearch(machine, files, realPath);
  commandWords(definition, machine).forEach((line) => search.visit(line));
  return search.result();
}

/** Collects the files of one definition. */
class CodeSearch {
  readonly #machine: Machine;
  readonly #files: Files;
  readonly #realPath: (place: string) => string;
  readonly #look: Look;
  readonly #found = new Map<string, NamedFile>();
  readonly #gaps = new Set<string>();
  readonly #scripts = new Set<string>();
  #runnerFiles = 0;

  constructor(machine: Machine, files: Files, realPath: (place: string) => string) {
    this.#machine = machine;
    this.#files = files;
    this.#realPath = realPath;
    this.#look = createLook(machine, files, (place) => this.#isOurs(place));
  }

  result(): NamedCode {
    const sorted = [...this.#found.values()].toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
    if (this.#look.isSpent()) this.#gaps.add('some of the files that its runners read');
    return { files: sorted, gaps: [...this.#gaps].toSorted() };
  }

  visit(line: CommandWords, depth = 0): void {
    const seen = new Set<string>();
    // The line itself may name the folder that words are relative to: `env -C folder`, `cd folder && …`.
    const bases = [line.folder];
    const room = line.words.length > maxWords ? 0 : maxFolders;
    // Compare real paths: a link to its own folder adds nothing new.
    const isNew = (place: string): boolean =>
      bases.every((base) => base !== place && this.#realPath(base) !== this.#realPath(place));
    const tryWord = (word: string, place: string): void => {
      if (seen.has(place) || !isPossible(place) || !this.#isOurs(place)) return;
      seen.add(place);
      const outcome = this.#load(place);
      if (isFolder(outcome)) {
        entriesOf(place, line.taskFiles, this.#machine, this.#files).forEach((entry) =>
          this.#loadIfThere(entry),
        );
        if (bases.length <= room && isNew(place)) bases.push(place);
      }
      // In a script, the name of a runner is a program: `deno` does not mean `deno.json`.
      const isProgram = depth > 0 && isRunner(word);
      if (outcome.kind === 'missing' && unfinished.test(word) && !isProgram)
        endings.forEach((ending) => this.#loadIfThere(place + ending));
    };
    for (const base of bases)
      line.words.forEach((word) => tryWord(word, this.#machine.path.resolve(base, word)));
    for (const folder of this.#trueFolders(bases)) this.#visitRunners(line, folder, depth);
  }

  #visitRunners({ lines }: CommandWords, folder: string, depth: number): void {
    for (const line of lines) {
      const covered = coverageOfLine(line, { folder, isScript: depth > 0 }, this.#look);
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
  #trueFolders(folders: readonly string[]): ReadonlySet<string> {
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
  #isOurs(place: string): boolean {
    const { projectRoot } = this.#machine;
    return (
      isInside(place, projectRoot, this.#machine) ||
      isInside(this.#realPath(place), projectRoot, this.#machine)
    );
  }

  #load(place: string): FileOutcome {
    const outcome = this.#files.load(place, maxBytes);
    const named = describe(place, outcome, this.#machine);
    if (named !== undefined) this.#found.set(place, named);
    return outcome;
  }

  #loadIfThere(place: string): void {
    if (this.#files.exists(place)) this.#load(place);
  }

  #loadOfRunner(place: string): void {
    if (this.#found.has(place) || !isPossible(place) || !this.#isOurs(place)) return;
    this.#runnerFiles += 1;
    if (this.#runnerFiles > maxRunnerFiles) this.#gaps.add('some of the files that its runners read');
    else this.#loadIfThere(place);
  }

  #addPart({ place, name, text }: FilePart): void {
    const bytes = Buffer.from(text);
    const facts = { uid: 0, gid: 0, mode: 0 };
    const outcome: FileOutcome = { kind: 'file', bytes, realPath: this.#realPath(place), facts };
    const named = describe(place, outcome, this.#machine);
    if (named !== undefined) this.#found.set(`${place}\0${name}`, { ...named, part: { name, text } });
  }
}

function keyOf({ path, part }: NamedFile): string {
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
  // A missing file is not part of the approval; when it appears, that is a change.
  if (outcome.kind === 'missing' || isFolder(outcome)) return undefined;
  if (outcome.kind !== 'file') return { path, hash: 'unknown' };
  const hash = sha256(outcome.realPath, '\0', outcome.bytes);
  return { path, hash, ...(inProject(outcome.realPath) ? {} : { leadsTo: outcome.realPath }) };
}
