/**
 * Files that a program looks for by itself in a folder it is given: `make -C folder` runs the folder's
 * Makefile.
 */

import { programName } from '../package-runners.ts';

const makefiles = ['GNUmakefile', 'makefile', 'Makefile'];
const taskFiles: ReadonlyMap<string, readonly string[]> = new Map([
  ['make', makefiles],
  ['gmake', makefiles],
  ['deno', ['deno.json', 'deno.jsonc']],
]);

/** Checks every word, because any of them may be the program: `env -C folder make`. */
export function taskFilesOf(words: readonly string[]): readonly string[] {
  return [...new Set(words.flatMap((word) => taskFiles.get(programName(word)) ?? []))];
}
