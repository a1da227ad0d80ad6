/** Counts typing errors between two words: a letter too many, too few, wrong, or two in the wrong order. */

/** Whether at most `most` errors (1 or 2) turn one word into the other. */
export function isWithin(left: string, right: string, most: number): boolean {
  if (Math.abs(left.length - right.length) > most) return false;
  let before: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let row = 1; row <= left.length; row += 1) {
    const now = [row];
    let least = row;
    for (let column = 1; column <= right.length; column += 1) {
      const cost = stepCost({ left, right, row, column }, before, last, now);
      now.push(cost);
      if (cost < least) least = cost;
    }
    if (least > most) return false;
    before = last;
    last = now;
  }
  return (last[right.length] ?? most + 1) <= most;
}

interface Step {
  readonly left: string;
  readonly right: string;
  readonly row: number;
  readonly column: number;
}

function stepCost(
  { left, right, row, column }: Step,
  before: readonly number[],
  last: readonly number[],
  now: readonly number[],
): number {
  const a = left[row - 1];
  const b = right[column - 1];
  const far = Number.MAX_SAFE_INTEGER;
  const changed = (last[column - 1] ?? far) + (a === b ? 0 : 1);
  const best = Math.min(changed, (last[column] ?? far) + 1, (now[column - 1] ?? far) + 1);
  const isSwapped = row > 1 && column > 1 && a === right[column - 2] && left[row - 2] === b;
  return isSwapped ? Math.min(best, (before[column - 2] ?? far) + 1) : best;
}

/** One bit per letter, so that two words with few errors between them have nearly the same bits. */
export function letterBits(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at += 1) bits |= 1 << (word.charCodeAt(at) & 31);
  return bits;
}

/** A cheap test before `isWithin`: every error changes at most two bits. */
export function mayBeWithin(left: number, right: number, most: number): boolean {
  let differing = left ^ right;
  for (let count = 0; differing !== 0; count += 1) {
    if (count === most * 2) return false;
    differing &= differing - 1;
  }
  return true;
}
