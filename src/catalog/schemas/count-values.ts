/** How many values a JSON value holds, itself included. Counts without recursion, and only so far. */

const maxCount = 100_000;

export function countValues(value: unknown): number {
  const waiting: unknown[] = [value];
  let count = 0;
  for (; count < waiting.length && count < maxCount; count += 1) {
    const here = waiting[count];
    if (typeof here !== 'object' || here === null) continue;
    for (const name in here) {
      if (Object.hasOwn(here, name)) waiting.push((here as Record<string, unknown>)[name]); // lists have names too
    }
  }
  return count;
}
