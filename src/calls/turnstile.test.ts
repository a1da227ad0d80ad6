import { expect, test } from 'vitest';

import { createTurnstile } from './turnstile.ts';

test('only so many are inside at a time, and a place is handed on', async () => {
  const turnstile = createTurnstile(2);
  const order: string[] = [];
  expect([turnstile.enter('a', undefined), turnstile.enter('a', undefined)]).toEqual([undefined, undefined]);
  const third = turnstile.enter('a', undefined)?.then(() => order.push('third'));
  turnstile.leave();
  expect(turnstile.enter('a', undefined)).toBeInstanceOf(Promise);
  await third;
  expect(order).toEqual(['third']);
});

test('callers take turns, and the calls of one keep their order', async () => {
  const turnstile = createTurnstile(1);
  const order: string[] = [];
  void turnstile.enter('a', undefined);
  const waiting = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(async (name) => {
    await turnstile.enter(name.charAt(0), undefined);
    order.push(name);
    turnstile.leave();
  });
  turnstile.leave();
  await Promise.all(waiting);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect(turnstile.enter('d', undefined)).toBeUndefined();
});

test('whoever gives up leaves the queue and takes nobody’s place', async () => {
  const turnstile = createTurnstile(1);
  const stop = new AbortController();
  void turnstile.enter('a', undefined);
  const first = turnstile.enter('a', stop.signal);
  const second = turnstile.enter('a', undefined);
  stop.abort('enough');
  await expect(first).rejects.toBe('enough');
  turnstile.leave();
  await second;
  await expect(turnstile.enter('a', AbortSignal.abort('late'))).rejects.toBe('late');
});
