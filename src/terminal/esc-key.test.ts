/** Which Esc is meant for a question: not one that was pressed before it was shown. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { escMs, watchEsc } from './esc-key.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('an Esc that is known sooner than one can be was pressed before', () => {
  const isEsc = watchEsc();
  vi.advanceTimersByTime(escMs - 10);
  expect(isEsc({ name: 'escape' })).toBe(false);
  vi.advanceTimersByTime(10);
  expect([isEsc({ name: 'escape' }), isEsc({ name: 'left' }), isEsc({})]).toEqual([true, false, false]);
});
