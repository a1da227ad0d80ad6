/**
 * Finds many strings in one pass. A hash table of their first four characters selects candidate positions; a
 * binary search in the sorted list then finds the string at that position. The time therefore hardly depends
 * on the number or length of the strings.
 */

const headLength = 4;
/**
 * Large enough that the table stays mostly empty with hundreds of strings, and small enough to build quickly.
 */
const tableSize = 1 << 17;

export interface Matcher {
  /** Replaces every match in the text. The leftmost match wins, then the longest. */
  replace(text: string, replacement: string): string;
  /** Like `replace`, for text that arrives in pieces: prepend `rest` to the next piece. */
  replaceUntilOpen(text: string, replacement: string): Progress;
}

export interface Progress {
  readonly done: string;
  readonly rest: string;
}

/** Strings with fewer than four characters are never found. */
export function createMatcher(texts: Iterable<string>): Matcher {
  const sorted = [...new Set(texts)].toSorted((a, b) => (a < b ? -1 : 1));
  if (sorted.length === 0)
    return { replace: (text) => text, replaceUntilOpen: (text) => ({ done: text, rest: '' }) };

  const parents = parentsOf(sorted);
  const longest = sorted.reduce((most, text) => Math.max(most, text.length), 0);
  const nextPlace = createPlaceFinder(sorted);

  /**
   * The longest string that matches at a position is the last list entry that does not sort after the text
   * there, or one of that entry's parents.
   */
  const lengthAt = (text: string, at: number): number => {
    const tail = text.slice(at, at + longest);
    let index = countUpTo(tail, sorted) - 1;
    while (index >= 0 && !tail.startsWith(sorted[index] ?? '')) index = parents[index] ?? -1;
    return sorted[index]?.length ?? 0;
  };

  /**
   * Returns the position of the first possible match that is still incomplete, or the text's length when
   * there is none.
   */
  const findOpen = (text: string): number => {
    const isOpen = (at: number): boolean => {
      const tail = text.slice(at);
      return sorted[countUpTo(tail, sorted)]?.startsWith(tail) === true;
    };
    const first = Math.max(0, text.length - longest + 1);
    for (let at = nextPlace(text, first); at < text.length; at = nextPlace(text, at + 1)) {
      if (isOpen(at)) return at;
    }
    // The last few characters are too short for a table lookup.
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

/**
 * Returns a function that finds the next position where a string may start, or the length of the searched
 * text.
 */
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

/**
 * Each step shifts older characters up by five bits, so the oldest has left the table's range after four
 * steps.
 */
function addToHash(hash: number, unit: number): number {
  return ((hash << 5) ^ unit) & (tableSize - 1);
}

/** For each string, returns the index of the longest other string that is a prefix of it, or -1. */
function parentsOf(sorted: readonly string[]): number[] {
  const parents: number[] = [];
  for (const [index, text] of sorted.entries()) {
    let parent = index - 1;
    while (parent >= 0 && !text.startsWith(sorted[parent] ?? '')) parent = parents[parent] ?? -1;
    parents.push(parent);
  }
  return parents;
}

/** Returns how many of the sorted strings do not sort after this one. */
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
