import { expect, test } from 'vitest';

import { createStartSlots } from './start-slots.ts';

const calm = new AbortController().signal;

/** Lets everything that waits on a promise run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

function starters(limit: number) {
  const slots = createStartSlots(limit);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (key: string, signal = calm) =>
    slots.take(key, signal).then((end) => {
      started.push(key);
      ends.set(key, end);
    });
  return { slots, started, start, end: (key: string) => ends.get(key)?.() };
}

test('as many start at a time as there are places, the others in the order they came', async () => {
  const { started, start, end } = starters(2);
  for (const key of ['a', 'b', 'c', 'd']) void start(key);
  await settle();
  expect(started).toEqual(['a', 'b']);
  end('b');
  await settle();
  expect(started).toEqual(['a', 'b', 'c']);
  end('a');
  await settle();
  expect(started).toEqual(['a', 'b', 'c', 'd']);
});

test('a server that is called goes to the front', async () => {
  const { slots, started, start, end } = starters(1);
  for (const key of ['a', 'b', 'c', 'd']) void start(key);
  await settle();
  slots.hurry('d');
  slots.hurry('nobody');
  end('a');
  await settle();
  expect(started).toEqual(['a', 'd']);
});

test('so does one that is called before it stands in the line', async () => {
  const { slots, started, start, end } = starters(1);
  void start('a');
  void start('b');
  slots.hurry('c');
  void start('c');
  await settle();
  end('a');
  await settle();
  expect(started).toEqual(['a', 'c']);
});

test('a place that is given back twice is still one place', async () => {
  const { started, start, end } = starters(1);
  for (const key of ['a', 'b', 'c']) void start(key);
  await settle();
  end('a');
  end('a');
  await settle();
  expect(started).toEqual(['a', 'b']);
});

test('whoever is called off while waiting takes no place', async () => {
  const { started, start, end } = starters(1);
  const off = new AbortController();
  void start('a');
  const refused = start('b', off.signal).catch((error: unknown) => error);
  void start('c');
  await settle();
  off.abort(new Error('no more'));
  expect(await refused).toEqual(new Error('no more'));
  end('a');
  await settle();
  expect(started).toEqual(['a', 'c']);
  await expect(start('d', off.signal)).rejects.toThrow('no more');
});
