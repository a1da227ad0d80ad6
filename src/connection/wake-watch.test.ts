import { expect, test } from 'vitest';

import { createFakeClock } from '../../tests/support/fake-clock.ts';
import { createWakeWatch } from './wake-watch.ts';

function watched() {
  const clock = createFakeClock();
  let skew = 0;
  const watch = createWakeWatch({ clock, wallNow: () => clock.now() + skew });
  return { clock, watch, jump: (ms: number) => (skew += ms) };
}

test('a limit that is not reached does not fire, one that is reached does', async () => {
  const { clock, watch } = watched();
  const fired: number[] = [];
  watch.setTimer(10_000, () => fired.push(clock.now()));
  await clock.advance(9999);
  expect(fired).toEqual([]);
  await clock.advance(1);
  expect(fired).toEqual([10_000]);
  expect(watch.gaps()).toBe(0);
});

test('F44: a program that was stopped for two minutes gives its servers the time back', async () => {
  const { clock, watch } = watched();
  const fired: number[] = [];
  watch.setTimer(60_000, () => fired.push(clock.now()));
  await clock.advance(10_000);
  clock.freeze(120_000);
  await clock.advance(1);
  expect(fired).toEqual([]);
  expect(watch.gaps()).toBe(1);
  await clock.advance(45_000);
  expect(fired).toEqual([]);
  await clock.advance(10_000);
  expect(fired).toHaveLength(1);
});

test('F44: a sleep in which only the time of day went on is noticed and lengthens nothing', async () => {
  const { clock, watch, jump } = watched();
  const fired: number[] = [];
  watch.setTimer(5000, () => fired.push(clock.now()));
  await clock.advance(1000);
  jump(3_600_000);
  expect(watch.gaps()).toBe(1);
  await clock.advance(4000);
  expect(fired).toEqual([5000]);
});

test('F43: the time of day may jump two hours either way and no limit moves', async () => {
  const { clock, watch, jump } = watched();
  const fired: number[] = [];
  watch.setTimer(5000, () => fired.push(clock.now()));
  jump(7_200_000);
  await clock.advance(2000);
  jump(-14_400_000);
  await clock.advance(2999);
  expect(fired).toEqual([]);
  await clock.advance(1);
  expect(fired).toEqual([5000]);
});

test('a timer that is taken back does not fire, and nothing ticks after the end', async () => {
  const { clock, watch } = watched();
  const fired: string[] = [];
  const stop = watch.setTimer(100, () => fired.push('limit'));
  stop();
  await clock.advance(1000);
  watch.close();
  expect(fired).toEqual([]);
  expect(clock.pending).toBe(0);
});
