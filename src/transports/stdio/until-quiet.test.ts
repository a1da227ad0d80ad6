import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { createFakeClock } from '../../../tests/support/fake-clock.ts';
import { untilQuiet } from './program-streams.ts';

function watch(streams: readonly PassThrough[], isBusy: () => boolean = () => false) {
  const clock = createFakeClock();
  for (const stream of streams) stream.resume();
  const state = { isOver: false };
  const over = untilQuiet(streams, { clock, isBusy }).then(() => {
    state.isOver = true;
  });
  /** Time and turns of the loop go together. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 5) {
      await nextTurn();
      await clock.advance(5);
      await nextTurn();
    }
  };
  return { clock, state, over, pass };
}

test('ends as soon as all streams have ended', async () => {
  const [one, two] = [new PassThrough(), new PassThrough()];
  const { over, clock } = watch([one, two]);
  one.end();
  two.end('last words');
  await over;

  expect(clock.now()).toBe(0);
});

test('a stream that somebody holds open is waited for until it has been silent for a moment', async () => {
  const held = new PassThrough();
  const { pass, state } = watch([held]);
  await pass(15);
  held.write('still here');
  await pass(15);
  expect(state.isOver).toBe(false);
  await pass(10);

  expect(state.isOver).toBe(true);
});

test('one that never stops talking is left after three seconds', async () => {
  const held = new PassThrough();
  const { pass, state } = watch([held]);
  for (let ms = 0; ms < 2990; ms += 10) {
    held.write('more');
    await pass(10);
  }
  expect(state.isOver).toBe(false);
  await pass(20);

  expect(state.isOver).toBe(true);
});

test('lines that wait for their turn are waited for, also when the stream has ended', async () => {
  const stream = new PassThrough();
  let isBusy = true;
  const { pass, state } = watch([stream], () => isBusy);
  stream.end();
  await pass(200);
  expect(state.isOver).toBe(false);
  isBusy = false;
  await pass(5);

  expect(state.isOver).toBe(true);
});

test('after busy moments, in which nothing was read, the silence begins anew', async () => {
  const held = new PassThrough();
  let isBusy = true;
  const { pass, state } = watch([held], () => isBusy);
  await pass(100);
  isBusy = false;
  await pass(10);
  expect(state.isOver).toBe(false);
  await pass(15);

  expect(state.isOver).toBe(true);
});
