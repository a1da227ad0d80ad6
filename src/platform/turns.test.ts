import { expect, test } from 'vitest';

import { createTurns } from './turns.ts';

const nothing = (): void => undefined;
const waiting = (signal = new AbortController().signal, onWait = nothing) => ({ signal, onWait });

test('fifty askers have their turns one at a time, in the order they asked', async () => {
  const turns = createTurns();
  const order: number[] = [];
  let inside = 0;
  const askers = Array.from({ length: 50 }, async (_, number) => {
    const passOn = await turns.take('file', waiting());
    inside += 1;
    expect(inside).toBe(1);
    order.push(number);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    inside -= 1;
    passOn();
  });
  await Promise.all(askers);

  expect(order).toEqual(Array.from({ length: 50 }, (_, number) => number));
});

test('names do not wait for each other, and only who has to wait is told so', async () => {
  const turns = createTurns();
  const told: string[] = [];
  const ask = (name: string) =>
    turns.take(
      name,
      waiting(undefined, () => told.push(name)),
    );
  const first = await ask('a');
  const other = await ask('b');
  const second = ask('a');
  first();
  (await second)();
  other();

  expect(told).toEqual(['a']);
});

test('who leaves the line is not waited for', async () => {
  const turns = createTurns();
  const leaving = new AbortController();
  const first = await turns.take('file', waiting());
  const second = turns.take('file', waiting(leaving.signal));
  const third = turns.take('file', waiting());
  leaving.abort('changed my mind');
  await expect(second).rejects.toBe('changed my mind');
  first();

  (await third)();
  await expect(turns.take('file', waiting(leaving.signal))).rejects.toBe('changed my mind');
});
