/** "Did you mean …": finds the candidate nearest to a mistyped word. */

/** Longer words are unlikely to be typing mistakes, and comparing them is slow. */
const maxLength = 64;

/** Returns the nearest candidate, or undefined when none is close enough. The first one wins a tie. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  if (wanted === '' || wanted.length > maxLength) return undefined;

  let best: { readonly candidate: string; readonly cost: number } | undefined;
  for (const candidate of candidates) {
    const cost = costOf(wanted, candidate.toLowerCase());
    if (cost !== undefined && (best === undefined || cost < best.cost)) best = { candidate, cost };
  }
  return best?.candidate;
}

/** The distance between two words, or undefined when one is not a plausible misspelling of the other. */
function costOf(wanted: string, candidate: string): number | undefined {
  if (candidate === '' || candidate.length > maxLength) return undefined;
  // A prefix counts as one mistake, however much of the word is missing.
  if (wanted.length >= 2 && candidate.startsWith(wanted))
    return Math.min(1, candidate.length - wanted.length);

  const allowed = wanted.length <= 2 ? 1 : Math.min(3, Math.floor((wanted.length + 2) / 3));
  if (Math.abs(wanted.length - candidate.length) > allowed) return undefined;
  const cost = editDistance(wanted, candidate);
  const isOtherWord = cost >= Math.max(wanted.length, candidate.length);
  return cost > allowed || isOtherWord ? undefined : cost;
}

/**
 * The number of insertions, deletions, substitutions and swaps of neighbours that turn one string into the
 * other.
 */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const costs = [
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
      ];
      const isSwap = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (isSwap) costs.push(at(beforeLast, column - 2) + 1);
      current.push(Math.min(...costs));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
