import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createStderrRing } from './stderr-ring.ts';

test('the last lines are given in order, without the one that is cut', () => {
  const ring = createStderrRing(1 << 20);
  expect(ring.tail(5)).toBe('');
  ring.push(Buffer.from('one\ntwo\n'));
  ring.push(Buffer.from('three'));

  expect(ring.tail(2)).toBe('two\nthree');
  expect(ring.tail(10)).toBe('one\ntwo\nthree');
});

test('whatever is written in whatever pieces, the end of it is there', () => {
  const letters = fc.constantFrom('a', 'b', '\n');
  const pieces = fc.array(fc.string({ unit: letters, maxLength: 400, size: 'max' }), {
    maxLength: 60,
    size: 'max',
  });
  fc.assert(
    fc.property(pieces, fc.constantFrom(64, 100, 5000), (texts, maxBytes) => {
      const ring = createStderrRing(maxBytes);
      for (const text of texts) ring.push(Buffer.from(text));
      const all = texts.join('');
      const kept = all.slice(-maxBytes).replace(/\n$/, '').split('\n');
      const whole = all.length >= maxBytes ? kept.slice(1) : kept;

      expect(ring.tail(10_000)).toBe(whole.join('\n'));
    }),
  );
});

test('a little text takes little memory', () => {
  const before = process.memoryUsage().arrayBuffers;
  const rings = Array.from({ length: 100 }, () => createStderrRing(1 << 20));
  for (const ring of rings) ring.push(Buffer.from('started\n'));
  const grown = process.memoryUsage().arrayBuffers - before;

  expect(rings.map((ring) => ring.tail(1))).toEqual(rings.map(() => 'started'));
  expect(grown).toBeLessThan(4 << 20);
});

test('a message never gets more than 64 KiB of it', () => {
  const ring = createStderrRing(1 << 20);
  for (let count = 0; count < 100; count += 1) ring.push(Buffer.from(`${'z'.repeat(9999)}\n`));

  expect(ring.tail(1000).length).toBeLessThanOrEqual(64 << 10);
});
