/** Adds up scores per tool and picks the best. */

import type { Posting } from './postings.ts';

export interface SearchHit {
  /** Index in the list that the search index was built from. */
  readonly at: number;
  readonly score: number;
}

interface Counting {
  readonly words: number;
  readonly nameLengths: Uint16Array;
  readonly wanted: (at: number) => boolean;
  readonly limit: number;
}

export interface ScoreBoard {
  mark(list: Posting, weight: number): void;
  nextWord(): void;
  finish(counting: Counting): readonly SearchHit[];
}

/** One board serves all searches, so that a search does not allocate arrays for thousands of tools. */
export function createScoreBoard(size: number): ScoreBoard {
  const total = new Float32Array(size);
  /** The best score that a meaning of the current word has; its other meanings add nothing. */
  const current = new Float32Array(size);
  const currentInName = new Uint8Array(size);
  const matched = new Uint8Array(size);
  const inName = new Uint8Array(size);
  let touched: number[] = [];
  let marked: number[] = [];
  return {
    mark: ({ tools, scores, inName: named }, weight) => {
      for (let index = 0; index < tools.length; index += 1) {
        const at = tools[index] ?? 0;
        const points = (scores[index] ?? 0) * weight;
        const before = current[at] ?? 0;
        if (points <= before) continue;
        if (before === 0) marked.push(at);
        current[at] = points;
        currentInName[at] = named[index] ?? 0;
      }
    },
    nextWord: () => {
      for (const at of marked) {
        if (matched[at] === 0) touched.push(at);
        total[at] = (total[at] ?? 0) + (current[at] ?? 0);
        matched[at] = (matched[at] ?? 0) + 1;
        inName[at] = (inName[at] ?? 0) + (currentInName[at] ?? 0);
        current[at] = 0;
        currentInName[at] = 0;
      }
      marked = [];
    },
    finish: ({ words, nameLengths, wanted, limit }) => {
      const best = createBest(limit);
      for (const at of touched) {
        const share = (matched[at] ?? 0) / words;
        const named = Math.min(1, (inName[at] ?? 0) / Math.max(1, nameLengths[at] ?? 1));
        // A tool that has all the words, and whose name consists of nothing else, is most likely the one that
        // is meant.
        if (wanted(at)) best.offer(at, (total[at] ?? 0) * share * (1 + named / 2));
        total[at] = 0;
        matched[at] = 0;
        inName[at] = 0;
      }
      touched = [];
      return best.list();
    },
  };
}

/** Collects the best few; of equal scores the first wins. */
function createBest(limit: number): { offer(at: number, score: number): void; list(): readonly SearchHit[] } {
  const best: SearchHit[] = [];
  const comesBefore = (at: number, score: number, other: SearchHit): boolean =>
    score > other.score || (score === other.score && at < other.at);
  return {
    offer: (at, score) => {
      const last = best.at(-1);
      if (best.length >= limit && (last === undefined || !comesBefore(at, score, last))) return;
      let place = best.length;
      while (place > 0 && comesBefore(at, score, best[place - 1] ?? { at, score })) place -= 1;
      best.splice(place, 0, { at, score });
      if (best.length > limit) best.pop();
    },
    list: () => best,
  };
}
