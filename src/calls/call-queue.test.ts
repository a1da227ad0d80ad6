import { expect, test } from 'vitest';

import { createCallQueue } from './call-queue.ts';

test('only so many are inside at a time, and a place is handed on', async () => {
  const queue = createCallQueue(2);
  const order: string[] = [];
  expect([queue.acquire('a', {}), queue.acquire('a', {})]).toEqual([undefined, undefined]);
  const third = queue.acquire('a', {})?.then(() => order.push('third'));
  queue.release();
  expect(queue.acquire('a', {})).toBeInstanceOf(Promise);
  await third;
  expect(order).toEqual(['third']);
});

test('callers take turns, and the calls of one keep their order', async () => {
  const queue = createCallQueue(1);
  const order: string[] = [];
  void queue.acquire('a', {});
  const waiting = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(async (name) => {
    await queue.acquire(name.charAt(0), {});
    order.push(name);
    queue.release();
  });
  queue.release();
  await Promise.all(waiting);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect(queue.acquire('d', {})).toBeUndefined();
});

test('whoever gives up leaves the queue and takes nobody’s place', async () => {
  const queue = createCallQueue(1);
  const stop = new AbortController();
  void queue.acquire('a', {});
  const first = queue.acquire('a', stop);
  const second = queue.acquire('a', {});
  stop.abort('enough');
  await expect(first).rejects.toBe('enough');
  queue.release();
  await second;
  await expect(queue.acquire('a', { signal: AbortSignal.abort('late') })).rejects.toBe('late');
});
