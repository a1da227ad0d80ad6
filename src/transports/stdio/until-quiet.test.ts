import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';

import { createFakeClock } from '../../../tests/support/fake-clock.ts';
import { untilQuiet } from './until-quiet.ts';

function watch(streams: readonly PassThrough[], isBusy: () => boolean = () => false) {
  const clock = createFakeClock();
  for (const stream of streams) stream.resume();
  const state = { isOver: false };
  const over = untilQuiet(streams, { clock, isBusy }).then(() => {
    state.isOver = true;
  });
  return { clock, state, over };
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
  const { clock, state } = watch([held]);
  await clock.advance(15);
  held.write('still here');
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  await clock.advance(15);
  expect(state.isOver).toBe(false);
  await clock.advance(10);

  expect(state.isOver).toBe(true);
});

test('one that never stops talking is left after a second', async () => {
  const held = new PassThrough();
  const { clock, state } = watch([held]);
  for (let ms = 0; ms < 990; ms += 10) {
    held.write('more');
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    await clock.advance(10);
  }
  expect(state.isOver).toBe(false);
  await clock.advance(20);

  expect(state.isOver).toBe(true);
});

test('lines that wait for their turn are waited for, also when the stream has ended', async () => {
  const stream = new PassThrough();
  let isBusy = true;
  const { clock, state, over } = watch([stream], () => isBusy);
  stream.end();
  await clock.advance(5000);
  expect(state.isOver).toBe(false);
  isBusy = false;
  await clock.advance(5);
  await over;
});
