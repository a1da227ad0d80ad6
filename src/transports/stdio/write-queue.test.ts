import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';

import { createWriteQueue } from './program-streams.ts';

/** A stream that takes a line only when it is told to. */
function stuckStream(): {
  readonly stream: Writable;
  readonly taken: string[];
  readonly take: (error?: Error) => void;
} {
  const taken: string[] = [];
  const waiting: ((error?: Error) => void)[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (line: string, _encoding, done) => {
      taken.push(line);
      waiting.push(done);
    },
  });
  stream.on('error', () => undefined);
  return { stream, taken, take: (error) => waiting.shift()?.(error) };
}

const parts = { server: 'slow', maxBytes: 20, onBroken: () => undefined };

test('a line is sent when the system has taken it', async () => {
  const { stream, taken, take } = stuckStream();
  const queue = createWriteQueue(stream, parts);
  let isSent = false;
  const sent = queue.send('{"a":1}\n').then(() => (isSent = true));
  await Promise.resolve();
  expect(isSent).toBe(false);
  take();
  await sent;

  expect(taken).toEqual(['{"a":1}\n']);
});

describe('what waits', () => {
  test('is bounded: more is refused at once, and there is room again when some was taken', async () => {
    const { stream, take } = stuckStream();
    const queue = createWriteQueue(stream, parts);
    const first = queue.send('0123456789\n');

    await expect(queue.send('0123456789\n')).rejects.toMatchObject({
      code: 'queue-full',
      details: { server: 'slow', maxBytes: 20 },
      message: expect.stringContaining('"slow" does not read'),
    });
    take();
    await first;
    const third = queue.send('0123456789\n');
    take();
    await third;
  });

  test('is counted in bytes, not in characters', async () => {
    const { stream } = stuckStream();
    const queue = createWriteQueue(stream, parts);
    void queue.send('€€€\n').catch(() => undefined);

    await expect(queue.send('€€€€\n')).rejects.toMatchObject({ code: 'queue-full' });
  });

  test('may be one line that is larger than all', async () => {
    const { stream, take } = stuckStream();
    const queue = createWriteQueue(stream, parts);
    const sent = queue.send('x'.repeat(100));
    take();

    await expect(sent).resolves.toBeUndefined();
  });

  test('F15: fails at once when the server is gone, and so does all that comes later', async () => {
    const { stream } = stuckStream();
    const queue = createWriteQueue(stream, { ...parts, maxBytes: 1000 });
    const sends = [queue.send('one\n'), queue.send('two\n')];
    const gone = new Error('gone');
    queue.fail(gone);
    queue.fail(new Error('later'));

    await expect(Promise.allSettled([...sends, queue.send('three\n')])).resolves.toEqual(
      Array.from({ length: 3 }, () => ({ status: 'rejected', reason: gone })),
    );
  });
});

test('F16: a broken pipe is told, and its line fails once it is known what became of the server', async () => {
  const { stream, take } = stuckStream();
  const told: Error[] = [];
  const gone = new Error('gone');
  const queue = createWriteQueue(stream, { ...parts, onBroken: (error) => void told.push(error) });
  const sent = queue.send('one\n').catch((error: unknown) => [[...told], error]);
  const broken = new Error('EPIPE');
  take(broken);
  await new Promise(setImmediate);
  queue.fail(gone);

  expect(await sent).toEqual([[broken], gone]);
});

test('what is sent in one breath is told apart from what follows', async () => {
  const { stream } = stuckStream();
  const queue = createWriteQueue(stream, { ...parts, maxBytes: 1000 });
  const sends = [queue.send('one\n'), queue.send('two\n')];
  await Promise.resolve();
  const wasFresh = queue.isFresh;
  sends.push(queue.send('three\n'));
  const isFresh = queue.isFresh;
  queue.fail(new Error('gone'));
  await Promise.allSettled(sends);

  expect([wasFresh, isFresh]).toEqual([true, false]);
});
