import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { createLineFramer as createFramer, type LineFramer } from './line-framer.ts';
import { cpuMs } from '../../../tests/support/cpu-time.ts';

function createLineFramer(messageBytes: number, messageNodes = 1000): LineFramer {
  return createFramer({ messageBytes, messageNodes });
}

function linesOf(framer: LineFramer): string[] {
  const lines: string[] = [];
  for (let line = framer.next(); line !== undefined; line = framer.next()) {
    if (typeof line === 'string') throw new Error(`over the limit of ${line}`);
    lines.push(line.text);
  }
  return lines;
}

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

test('lines are the same wherever the bytes are cut, in the middle of a character too', () => {
  const line = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll(/[\r\n]/g, ' '));
  const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 20 }),
      fc.constantFrom('\n', '\r\n'),
      sizes,
      (lines, end, cuts) => {
        const framer = createLineFramer(1 << 20);
        const seen: string[] = [];
        for (const chunk of cut(Buffer.from(lines.map((text) => text + end).join('')), cuts)) {
          framer.push(chunk);
          seen.push(...linesOf(framer));
        }
        // Lone surrogates become the replacement character on the way to bytes.
        expect(seen).toEqual(lines.map((text) => Buffer.from(text).toString('utf8')));
        expect(framer.rest()).toBeUndefined();
        expect(framer.waitingBytes).toBe(0);
      },
    ),
  );
});

test('what stands after the last line end is the rest, once', () => {
  const framer = createLineFramer(100);
  framer.push(Buffer.from('one\ntw'));
  framer.push(Buffer.from('o\r'));

  expect(linesOf(framer)).toEqual(['one']);
  expect(framer.rest()).toMatchObject({ text: 'two', bytes: 4 });
  expect(framer.rest()).toBeUndefined();
});

describe('a line over the limit', () => {
  test('is found before it ends', () => {
    const framer = createLineFramer(10);
    framer.push(Buffer.from('12345'));
    expect(framer.next()).toBeUndefined();
    framer.push(Buffer.from('678901'));

    expect(framer.next()).toBe('bytes');
  });

  test('is found when it ends in the chunk that makes it too long', () => {
    const framer = createLineFramer(10);
    framer.push(Buffer.from('short\n12345678901\n'));

    expect(framer.next()).toEqual({ text: 'short', bytes: 5, nodes: 0 });
    expect(framer.next()).toBe('bytes');
  });

  test('one as long as the limit is none', () => {
    const framer = createLineFramer(10);
    framer.push(Buffer.from('1234567890\n'));

    expect(linesOf(framer)).toEqual(['1234567890']);
  });
});

test('a long line in single bytes takes memory of its own size', () => {
  const framer = createLineFramer(8 << 20);
  const byte = Buffer.from('x');
  const before = process.memoryUsage();
  for (let count = 0; count < 1 << 20; count += 1) {
    framer.push(byte);
    framer.next();
  }
  const after = process.memoryUsage();
  const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;

  expect(framer.rest()?.bytes).toBe(1 << 20);
  // A buffer object for each byte would be a hundred times as much.
  expect(grown).toBeLessThan(40 << 20);
});

test('F12: a line four times as long takes about four times as long, not sixteen', () => {
  const chunk = Buffer.alloc(1 << 16, 'x');
  const time = (chunks: number): number => {
    const startedAt = cpuMs();
    const framer = createLineFramer(1 << 30);
    for (let count = 0; count < chunks; count += 1) {
      framer.push(chunk);
      framer.next();
    }
    framer.push(Buffer.from('\n'));
    const line = framer.next();
    expect(line).toMatchObject({ bytes: chunks << 16 });
    return cpuMs() - startedAt;
  };
  const rounds = Array.from({ length: 7 }, () => time(4 * 150) / time(150)).toSorted(
    (left, right) => left - right,
  );

  expect(rounds[3]).toBeLessThan(10);
});

test('T121: a line with more structural characters than the limit is found before it ends, however it is cut', () => {
  const fine = `${'[]'.repeat(500)} "${'['.repeat(5000)}"`;
  for (const size of [1, 700, 1 << 16]) {
    const framer = createLineFramer(1 << 20, 1000);
    const results = cut(Buffer.from(`${fine}\n${fine}[${'x'.repeat(5000)}`), [size]).flatMap((chunk) => {
      framer.push(chunk);
      const first = framer.next();
      return first === undefined || typeof first === 'string' ? [first] : [first.nodes, framer.next()];
    });
    expect(results.filter((result) => result !== undefined).slice(0, 2)).toEqual([1000, 'nodes']);
  }
});
