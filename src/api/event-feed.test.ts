import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { HttpStream } from '../platform/listeners/http-server.ts';
import { createEventFeed, type EventFeed, type FeedListener } from './event-feed.ts';

const startedAt = Date.parse('2026-01-01T00:00:00Z');
const base = (startedAt / 1000) * 1_000_000;

interface TestListener {
  readonly text: () => string;
  readonly ids: () => readonly number[];
  readonly destroyed: () => boolean;
  close(): void;
}

function setUp() {
  let emitEvent: FeedListener = () => undefined;
  const soon: (() => void)[] = [];
  const feed = createEventFeed({
    onEvent: (listener) => {
      emitEvent = listener;
      return () => undefined;
    },
    status: () => ({ a: { status: 'connected' } }),
    wallNow: () => startedAt,
    setTimer: () => () => undefined,
    soon: (work) => soon.push(work),
  });
  let count = 0;
  const emit = (much = '', times = 1): void => {
    for (let left = times; left > 0; left -= 1)
      emitEvent('mcp.log', { id: (count += 1), at: 'now', ...(much === '' ? {} : { data: much }) });
  };
  const settle = (): void => {
    for (const work of soon.splice(0)) work();
  };
  return { feed, emit, settle };
}

/** A subscriber; a `stalled` one reads nothing. */
function listen(
  feed: EventFeed,
  options: { readonly lastEventId?: string; readonly stalled?: true; readonly mayAnswer?: true } = {},
): TestListener {
  let text = '';
  let destroyed = false;
  let close = (): void => undefined;
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const stream: HttpStream = {
    write: (bytes) => {
      text += typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString();
    },
    get backlogBytes() {
      return options.stalled === true ? text.length : 0;
    },
    end: () => close(),
    destroy: () => {
      destroyed = true;
      close();
    },
    closed,
  };
  void feed.subscribe({ stream, lastEventId: options.lastEventId, mayAnswer: options.mayAnswer === true });
  return {
    text: () => text,
    ids: () => [...text.matchAll(/^id: (\d+)\nevent: mcp/gm)].map((match) => Number(match[1]) - base),
    destroyed: () => destroyed,
    close: () => close(),
  };
}

test('a new subscriber gets a snapshot and then every event', () => {
  const { feed, emit, settle } = setUp();
  emit();
  const listener = listen(feed);
  emit();
  settle();
  expect(listener.text()).toBe(
    [
      ': welcome\n\n',
      `id: ${base + 1}\nevent: snapshot\ndata: {"status":{"a":{"status":"connected"}},"at":"2026-01-01T00:00:00.000Z","id":${base + 1}}\n\n`,
      `id: ${base + 2}\nevent: mcp.log\ndata: {"id":${base + 2},"at":"now"}\n\n`,
    ].join(''),
  );
});

test('an id that is too old, from another run or invalid gets a reset', () => {
  const { feed, emit } = setUp();
  emit('', 1002);
  const resets = [base + 1, base + 1003, 5, base - 1_000_000, 'x', '-1', '1e3'].map((id) =>
    listen(feed, { lastEventId: String(id) }).text(),
  );
  for (const text of resets) expect(text).toContain('event: reset\ndata: {"status":{"a"');
  expect(listen(feed, { lastEventId: String(base + 2) }).ids()).toHaveLength(1000);
  expect(listen(feed, { lastEventId: String(base + 1002) }).text()).toBe(': welcome\n\n');
});

test('a client that reconnects at any moment misses no event and gets none twice', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('emit' as const), times: fc.integer({ min: 1, max: 40 }) }),
    fc.constant({ kind: 'settle' as const }),
    fc.constant({ kind: 'leave' as const }),
    fc.constant({ kind: 'return' as const }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const { feed, emit, settle } = setUp();
      const heard: number[] = [];
      let listener: TestListener | undefined = listen(feed);
      let emitted = 0;
      const take = (): void => {
        heard.push(...(listener?.ids() ?? []));
        listener = undefined;
      };
      for (const one of steps) {
        if (one.kind === 'emit') {
          emit('', one.times);
          emitted += one.times;
        }
        if (one.kind === 'settle') settle();
        if (one.kind === 'leave' && listener !== undefined) {
          listener.close();
          take();
        }
        if (one.kind === 'return' && listener === undefined)
          listener = listen(feed, { lastEventId: String(base + (heard.at(-1) ?? 0)) });
      }
      listener ??= listen(feed, { lastEventId: String(base + (heard.at(-1) ?? 0)) });
      settle();
      take();
      expect(heard).toEqual(Array.from({ length: emitted }, (_, at) => at + 1));
    }),
    { numRuns: 200 },
  );
});

test('a subscriber that reads nothing is disconnected at a bounded backlog, and the others get every event', async () => {
  const { feed, emit, settle } = setUp();
  const healthy = listen(feed);
  const stalled = listen(feed, { stalled: true });
  for (let round = 0; round < 100; round += 1) {
    emit('x'.repeat(1000), 100);
    settle();
  }
  await Promise.resolve();
  expect(healthy.ids()).toHaveLength(10_000);
  expect(stalled.destroyed()).toBe(true);
  expect(stalled.text().length).toBeLessThanOrEqual(4 << 20);
  expect(feed.counts).toEqual({ subscribers: 1, events: 10_000, dropped: 1 });
});

test('a server that logs without end makes the ring shorter, not the memory larger', () => {
  const { feed, emit } = setUp();
  emit('x'.repeat(200_000), 200);
  expect(listen(feed, { lastEventId: String(base) }).text()).toContain('event: reset');
  expect(listen(feed, { lastEventId: String(base + 199) }).ids()).toEqual([200]);
  emit('x'.repeat(300_000));
  expect(listen(feed, { lastEventId: String(base + 200) }).text()).toContain('[left out: 300');
});

test('questions are sent only to subscribers that may answer', () => {
  const { feed } = setUp();
  const reader = listen(feed);
  expect(feed.hasAnswerer()).toBe(false);
  const person = listen(feed, { mayAnswer: true });
  expect(feed.hasAnswerer()).toBe(true);
  feed.sendToAnswerers('question', { question: 'q' });
  expect(person.text()).toContain('event: question\ndata: {"question":"q"}');
  expect(reader.text()).not.toContain('question');
});
