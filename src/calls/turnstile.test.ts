import { expect, test } from 'vitest';

import { createTurnstile } from './turnstile.ts';

test('only so many are inside at a time, and a place is handed on', async () => {
  const turnstile = createTurnstile(2);
  const order: string[] = [];
  expect([turnstile.enter('a', {}), turnstile.enter('a', {})]).toEqual([undefined, undefined]);
  const third = turnstile.enter('a', {})?.then(() => order.push('third'));
  turnstile.leave();
  expect(turnstile.enter('a', {})).toBeInstanceOf(Promise);
  await third;
  expect(order).toEqual(['third']);
});

test('callers take turns, and the calls of one keep their order', async () => {
  const turnstile = createTurnstile(1);
  const order: string[] = [];
  void turnstile.enter('a', {});
  const waiting = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(async (name) => {
    await turnstile.enter(name.charAt(0), {});
    order.push(name);
    turnstile.leave();
  });
  turnstile.leave();
  await Promise.all(waiting);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect(turnstile.enter('d', {})).toBeUndefined();
});

test('whoever gives up leaves the queue and takes nobody’s place', async () => {
  const turnstile = createTurnstile(1);
  const stop = new AbortController();
  void turnstile.enter('a', {});
  const first = turnstile.enter('a', stop);
  const second = turnstile.enter('a', {});
  stop.abort('enough');
  await expect(first).rejects.toBe('enough');
  turnstile.leave();
  await second;
  await expect(turnstile.enter('a', { signal: AbortSignal.abort('late') })).rejects.toBe('late');
});
