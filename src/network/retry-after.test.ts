import { expect, test } from 'vitest';

import { longestWaitMs, readRetryAfter } from './retry-after.ts';

const now = Date.parse('2026-11-15T12:00:00Z');
const read = (retryAfter: string | null, date: string | null = null): number | undefined =>
  readRetryAfter({ retryAfter, date }, now);

test('F38: seconds, dates, absurd and missing values of Retry-After', () => {
  expect({
    seconds: read('120'),
    fraction: read('1.5'),
    zero: read('0'),
    date: read('Sun, 15 Nov 2026 12:00:30 GMT'),
    past: read('Sun, 15 Nov 2026 11:00:00 GMT'),
    absurd: read('999999999'),
    absurdDate: read('Fri, 31 Dec 9999 23:59:59 GMT'),
    missing: read(null),
    empty: read(''),
    negative: read('-5'),
    words: read('soon 1'),
    nonsense: read('Xyz, not a date'),
  }).toEqual({
    seconds: 120_000,
    fraction: 1500,
    zero: 0,
    date: 30_000,
    past: 0,
    absurd: longestWaitMs,
    absurdDate: longestWaitMs,
    missing: undefined,
    empty: undefined,
    negative: undefined,
    words: undefined,
    nonsense: undefined,
  });
});

test('F38: a date is counted from the clock of the server that names it', () => {
  expect(read('Sun, 15 Nov 2026 14:00:30 GMT', 'Sun, 15 Nov 2026 14:00:00 GMT')).toBe(30_000);
});
