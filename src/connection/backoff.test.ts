import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createBackoff } from './backoff.ts';

test('F19: waits double from half a second, and after five tries in five minutes it is over', () => {
  const backoff = createBackoff({ random: () => 0.5 });
  const waits: (number | undefined)[] = [];
  let at = 0;
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const wait = backoff.next(at);
    waits.push(wait);
    at += (wait ?? 0) + 10;
  }
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, undefined]);
});

test('tries of more than five minutes ago are forgotten', () => {
  const backoff = createBackoff({ random: () => 0.5 });
  for (let attempt = 0; attempt < 5; attempt += 1) backoff.next(0);
  expect(backoff.next(1000)).toBeUndefined();
  expect(backoff.next(320_000)).toBe(500);
});

test('asking for it by hand begins anew', () => {
  const backoff = createBackoff({ random: () => 0.5, maxTries: 1 });
  backoff.next(0);
  expect(backoff.next(0)).toBeUndefined();
  backoff.reset();
  expect(backoff.next(0)).toBe(500);
});

test('waits are at most thirty seconds and a fifth away from the rule', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (luck) => {
      const backoff = createBackoff({ random: () => luck, maxTries: 12, windowMs: Infinity });
      for (let attempt = 0; attempt < 12; attempt += 1) {
        const rule = Math.min(30_000, 500 * 2 ** attempt);
        const wait = backoff.next(0) ?? 0;
        expect(Math.abs(wait - rule)).toBeLessThanOrEqual(rule * 0.2 + 0.001);
      }
    }),
  );
});

test('F38: never before the time a server names, at most a fifth later, and five minutes at the longest', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 1000, max: 10 ** 12 }),
      (luck, askedMs) => {
        const wait = createBackoff({ random: () => luck }).next(0, askedMs) ?? 0;
        const honoured = Math.min(askedMs, 300_000);
        expect(wait).toBeGreaterThanOrEqual(honoured);
        expect(wait).toBeLessThanOrEqual(honoured * 1.2 + 0.001);
      },
    ),
  );
});
