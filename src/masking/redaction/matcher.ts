/**
 * Finds many texts in one pass. A table of their first four characters picks the places, then a look-up in the sorted
 * list says which text stands there. So the time hardly depends on how many texts there are, or on how long they are.
 */

const headLength = 4;
/** As many entries as leave the table mostly empty for hundreds of texts, yet small enough to build in no time. */
const tableSize = 1 << 17;

export interface Matcher {
  /** The text with every match replaced: leftmost first, longest first. */
  replace(text: string, replacement: string): string;
  /** Like `replace`, for text that goes on: `rest` must be put in front of what follows. */
  replaceUntilOpen(text: string, replacement: string): Progress;
}

export interface Progress {
  readonly done: string;
  readonly rest: string;
}

/** Texts of less than four characters are not found. */
export function createMatcher(texts: Iterable<string>): Matcher {
  const sorted = [...new Set(texts)].toSorted((a, b) => (a < b ? -1 : 1));
  if (sorted.length === 0)
    return { replace: (text) => text, replaceUntilOpen: (text) => ({ done: text, rest: '' }) };

  const parents = parentsOf(sorted);
  const longest = sorted.reduce((most, text) => Math.max(most, text.length), 0);
  const nextPlace = createPlaceFinder(sorted);

  /** Texts that begin what stands at a place are the last one not after it in the list, or that one's parents. */
  const lengthAt = (text: string, at: number): number => {
    const tail = text.slice(at, at + longest);
    let index = countUpTo(tail, sorted) - 1;
    while (index >= 0 && !tail.startsWith(sorted[index] ?? '')) index = parents[index] ?? -1;
    return sorted[index]?.length ?? 0;
  };

  /** Where the first text may have begun that is not all there yet; the text's length if none. */
  const findOpen = (text: string): number => {
    const isOpen = (at: number): boolean => {
      const tail = text.slice(at);
      return sorted[countUpTo(tail, sorted)]?.startsWith(tail) === true;
    };
    const first = Math.max(0, text.length - longest + 1);
    for (let at = nextPlace(text, first); at < text.length; at = nextPlace(text, at + 1)) {
      if (isOpen(at)) return at;
    }
    // The last few characters are too short for the table.
    for (let at = Math.max(0, text.length - headLength + 1); at < text.length; at += 1) {
      if (isOpen(at)) return at;
    }
    return text.length;
  };

  const replaceBefore = (open: number, text: string, replacement: string): Progress => {
    let done = '';
    let end = 0;
    let at = nextPlace(text, 0);
    while (at < open) {
      const length = lengthAt(text, at);
      if (length > 0) {
        done += text.slice(end, at) + replacement;
        end = at + length;
      }
      at = nextPlace(text, at + Math.max(1, length));
    }
    const cut = Math.max(end, open);
    return { done: done + text.slice(end, cut), rest: text.slice(cut) };
  };

  return {
    replace: (text, replacement) => replaceBefore(text.length, text, replacement).done,
    replaceUntilOpen: (text, replacement) => replaceBefore(findOpen(text), text, replacement),
  };
}

/** Gives the next place where one of the texts may begin, or the length of what is searched. */
function createPlaceFinder(texts: readonly string[]): (searched: string, from: number) => number {
  const table = new Uint8Array(tableSize);
  for (const text of texts) {
    let hash = 0;
    for (let index = 0; index < headLength; index += 1) hash = addToHash(hash, text.charCodeAt(index));
    table[hash] = 1;
  }
  return (searched, from) => {
    const firstEnd = from + headLength - 1;
    let hash = 0;
    for (let index = from; index < searched.length; index += 1) {
      hash = addToHash(hash, searched.charCodeAt(index));
      if (table[hash] === 1 && index >= firstEnd) return index - headLength + 1;
    }
    return searched.length;
  };
}

/** Each step moves older characters five bits up, so that after four steps the oldest has left the table's range. */
function addToHash(hash: number, unit: number): number {
  return ((hash << 5) ^ unit) & (tableSize - 1);
}

/** For each text the place of the longest other one that it begins with, or -1. */
function parentsOf(sorted: readonly string[]): number[] {
  const parents: number[] = [];
  for (const [index, text] of sorted.entries()) {
    let parent = index - 1;
    while (parent >= 0 && !text.startsWith(sorted[parent] ?? '')) parent = parents[parent] ?? -1;
    parents.push(parent);
  }
  return parents;
}

/** How many of the sorted texts are not after this one. */
function countUpTo(text: string, sorted: readonly string[]): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') <= text) low = middle + 1;
    else high = middle;
  }
  return low;
}
