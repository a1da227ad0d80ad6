/** Who waits for what is asked during a call, and when nobody does any more. */

import { expect, test } from 'vitest';

import { createActiveCalls, type ActiveCall } from './active-calls.ts';

const call = (): ActiveCall => ({ onElicit: undefined, touch: () => undefined });

test('what was asked in calls is no longer wanted when the last of them ended', () => {
  const calls = createActiveCalls();
  const [one, two] = [call(), call()];
  const [endOne, endTwo] = [calls.begin('s', one), calls.begin('s', two)];
  const [single, both, none] = [calls.over([one]), calls.over([one, two]), calls.over([])];
  const aborted = (): readonly boolean[] => [single, both, none].map((signal) => signal.aborted);
  expect(aborted()).toEqual([false, false, false]);
  endOne();
  expect(aborted()).toEqual([true, false, false]);
  endTwo();
  expect(aborted()).toEqual([true, true, false]);
});
