import fc from 'fast-check';
import { expect, test } from 'vitest';

import { frame } from './event-feed.ts';
import { readEvents, type StreamedMessage } from './client.ts';

async function readAll(chunks: readonly Uint8Array[]): Promise<StreamedMessage[]> {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const messages: StreamedMessage[] = [];
  for await (const message of readEvents(body)) messages.push(message);
  return messages;
}

test('comments are passed over', async () => {
  const text = `: welcome\n\n${frame('a', { x: 1 }, 7)}: alive\n\n${frame('b', null)}`;
  expect(await readAll([Buffer.from(text)])).toEqual([
    { event: 'a', data: { x: 1 }, id: '7' },
    { event: 'b', data: null, id: undefined },
  ]);
});

test('messages are read as they were written, however the bytes are split', async () => {
  const message = fc.record({
    event: fc.constantFrom('mcp.log', 'reset'),
    data: fc.jsonValue(),
    id: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 5 }),
      fc.integer({ min: 1, max: 9 }),
      async (sent, size) => {
        const bytes = Buffer.from(sent.map(({ event, data, id }) => frame(event, data, id)).join(''));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        const wanted = sent.map(({ event, data, id }) => ({
          event,
          data: JSON.parse(JSON.stringify(data)) as unknown,
          id: String(id),
        }));
        expect(await readAll(chunks)).toEqual(wanted);
      },
    ),
    { numRuns: 50 },
  );
});
