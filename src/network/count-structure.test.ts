import fc from 'fast-check';
import { expect, test } from 'vitest';

import { cpuMs } from '../../tests/support/cpu-time.ts';
import { StructureCount } from './count-structure.ts';

function countOf(text: string, sizes: readonly number[] = [text.length]): number {
  const count = new StructureCount();
  const bytes = Buffer.from(text);
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    count.add(bytes.subarray(at, at + size));
    at += size;
  }
  return count.count;
}

/** The same from the parsed value: a pair of brackets for each, commas between entries, a colon for each key. */
function expected(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const entries: readonly unknown[] = Object.values(value);
  const colons = Array.isArray(value) ? 0 : entries.length;
  const inner = entries.reduce<number>((sum, entry) => sum + expected(entry), 0);
  return 2 + Math.max(0, entries.length - 1) + colons + inner;
}

test('T121: exactly the structural characters outside strings are counted, wherever the bytes are cut', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 8 });
  const words = fc.string({
    unit: fc.constantFrom('"', '\\', '[', '}', ',', ':', 'a', 'é', '\n'),
    maxLength: 120,
  });
  const values = fc.jsonValue().chain((value) => words.map((word) => ({ value, [word]: [word, word] })));
  fc.assert(
    fc.property(values, sizes, fc.constantFrom(undefined, 2), (value, cuts, indent) => {
      expect(countOf(JSON.stringify(value, undefined, indent), cuts)).toBe(
        expected(JSON.parse(JSON.stringify(value))),
      );
    }),
    { numRuns: 500 },
  );
});

test('T121: counting costs less than half of what parsing the same bytes costs', () => {
  const tool = {
    name: 'read',
    description: 'Reads a "file"\n',
    inputSchema: { type: 'object', properties: { a: {} } },
  };
  const text = JSON.stringify({ tools: Array.from({ length: 20_000 }, () => tool) });
  const bytes = Buffer.from(text);
  const count = new StructureCount();
  const costOf = (work: () => unknown): number => {
    const before = cpuMs();
    for (let again = 0; again < 5; again += 1) work();
    return cpuMs() - before;
  };
  const ratios = Array.from(
    { length: 7 },
    () => costOf(() => count.add(bytes)) / costOf(() => JSON.parse(text)),
  );
  expect(ratios.toSorted((left, right) => left - right)[3]).toBeLessThan(0.5);
});
