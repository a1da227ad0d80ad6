/**
 * Prevents a half-saved file from making its servers disappear: its last good content is used until it parses
 * again.
 */

import type { FileOutcome, Files } from '../platform/files/files.ts';
import type { Roster } from './load-roster.ts';

const unfinished = new Set(['file-syntax', 'file-too-deep', 'file-shape']);

export interface SteadyFiles {
  /** Calls `read` with files in which the last good content replaces content that is broken now. */
  load(read: (files: Files) => Promise<Roster>): Promise<Roster>;
}

export function createSteadyFiles(files: Files): SteadyFiles {
  let good = new Map<string, FileOutcome>();
  return {
    load: async (read) => {
      const seen = new Map<string, FileOutcome>();
      const roster = await read({
        ...files,
        load: (path, maxBytes) => {
          const outcome = files.load(path, maxBytes);
          seen.set(path, outcome);
          return outcome;
        },
      });
      const broken = roster.problems.filter(
        ({ code, file }) => unfinished.has(code) && good.get(file)?.kind === 'file',
      );
      const held = new Map(broken.map(({ file }) => [file, good.get(file)] as const));
      const brokenNow = new Set(
        roster.problems.filter(({ code }) => unfinished.has(code)).map(({ file }) => file),
      );
      good = new Map([...good, ...seen].filter(([path]) => !brokenNow.has(path) || held.has(path)));
      for (const [path, outcome] of held) if (outcome !== undefined) good.set(path, outcome);
      if (held.size === 0) return roster;
      const steady = await read({
        ...files,
        load: (path, maxBytes) => held.get(path) ?? files.load(path, maxBytes),
      });
      return { ...steady, problems: [...broken, ...steady.problems] };
    },
  };
}
