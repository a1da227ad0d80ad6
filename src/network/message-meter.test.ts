import { describe, expect, test } from 'vitest';

import { createMessageMeter } from './message-meter.ts';

const feed = (kind: 'body' | 'events', limit: number, ...chunks: readonly string[]): readonly boolean[] => {
  const meter = createMessageMeter({ messageBytes: limit, messageNodes: 1000 }, kind);
  return chunks.map((chunk) => meter.count(Buffer.from(chunk)) === undefined);
};

describe('the size of a message', () => {
  test('a body is counted as a whole', () => {
    expect(feed('body', 10, '12345', '67890', '1')).toEqual([true, true, false]);
  });

  test('a stream of events may go on for ever, one event may not', () => {
    expect(feed('events', 10, ...Array<string>(50).fill('data: 1\n\n'))).toEqual(Array(50).fill(true));
    expect(feed('events', 10, 'data: 1', '2345678')).toEqual([true, false]);
    expect(feed('events', 10, 'data: 123456789\n\n')).toEqual([false]);
    expect(feed('events', 10, 'data: 1', '2345678\n\ndata: 1')).toEqual([true, false]);
    expect(feed('events', 10, 'data: 1\n\ndata: 12', '345')).toEqual([true, false]);
  });

  test.each(['\n\n', '\r\r', '\r\n\r\n'])('an event ends with %j, also across two chunks', (blank) => {
    for (let cut = 0; cut <= blank.length; cut += 1) {
      const chunks = [`12345${blank.slice(0, cut)}`, `${blank.slice(cut)}67890`, '1'];
      expect(feed('events', 10, ...chunks)).toEqual([true, true, true]);
    }
  });
});

describe('the structure of a message', () => {
  const over = (kind: 'body' | 'events', ...chunks: readonly string[]): readonly unknown[] => {
    const meter = createMessageMeter({ messageBytes: 1000, messageNodes: 10 }, kind);
    return chunks.map((chunk) => meter.count(Buffer.from(chunk)));
  };

  test('T121: a body with more structural characters than the limit is refused as soon as they are there', () => {
    expect(over('body', '[[],[],"[[[[[[[[[[', '"]', '[],[],[]')).toEqual([undefined, undefined, 'nodes']);
  });

  test('T121: each event of a stream is counted by itself', () => {
    expect(over('events', ...Array<string>(20).fill('data: [[],[]]\n\n'))).toEqual(Array(20).fill(undefined));
    expect(over('events', 'data: [[],[]]\n\ndata: [[],', '[],[]]\n\n')).toEqual([undefined, 'nodes']);
  });

  test('T134: a body or an event that is nested too deeply is refused, and a flat one after it is not', () => {
    const limits = { messageBytes: 1e6, messageNodes: 1e6 };
    const deep = '['.repeat(2001);
    expect(createMessageMeter(limits, 'body').count(Buffer.from(deep))).toBe('levels');
    const events = createMessageMeter(limits, 'events');
    const flat = `data: ${'['.repeat(2000)}${']'.repeat(2000)}\n\n`;
    expect([flat, flat, `data: ${deep}`].map((chunk) => events.count(Buffer.from(chunk)))).toEqual([
      undefined,
      undefined,
      'levels',
    ]);
  });

  test('T136: an event with more than a thousand lines that are not fields is refused, many lines of data are not', () => {
    const limits = { messageBytes: 1e6, messageNodes: 1e6 };
    const meter = createMessageMeter(limits, 'events');
    const unknown = (count: number): string => '1,\n'.repeat(count);
    const data = 'data: 1\nevent: x\nid: 1\nretry: 5\n: comment\n'.repeat(500);
    const chunks = [`${unknown(1000)}\n`, `${unknown(1000)}\n`, data, `\n${unknown(600)}`, unknown(401)];
    expect(chunks.map((chunk) => meter.count(Buffer.from(chunk)))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'lines',
    ]);
  });

  test.each(['id: "\n', ': "\r', 'event: message"\r\n'])(
    'T121: a quote in another field of an event hides nothing (%j)',
    (field) => {
      expect(over('events', `${field}data: [[],[],[],[]]\n\n`)).toEqual(['nodes']);
    },
  );
});
