/** Counts the values in a JSON value, including itself: iteratively, in parts, and up to a limit. */

const maxCount = 100_000;
/** A long string counts as several values, because it takes as long to process. */
const charactersForOne = 100;

/** Counts about `atLeast` more values and returns how many were found; 0 when none are left. */
export type CountMore = (atLeast: number) => number;

export function createValueCounter(root: unknown): CountMore {
  const waiting: object[] = [];
  let rest = maxCount;
  let found = 0;
  const count = (value: unknown): void => {
    found += 1;
    if (typeof value === 'string') found += Math.floor(value.length / charactersForOne);
    else if (typeof value === 'object' && value !== null) waiting.push(value);
  };
  count(root);
  return (atLeast) => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const value of Array.isArray(next) ? next : Object.values(next)) count(value);
      if (found >= atLeast) break;
    }
    const more = Math.min(found, rest);
    rest -= more;
    found = 0;
    if (rest === 0) waiting.length = 0;
    return more;
  };
}
