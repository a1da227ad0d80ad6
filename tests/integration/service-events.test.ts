/** Events over HTTP: many listeners, one of them stalled; coming back; and what the host tells by itself. */

import { connect } from 'node:net';

import { expect, test } from 'vitest';

import type { StreamMessage } from '../../src/api/client.ts';
import { routes } from '../../src/api/contract.ts';
import { check } from '../../src/api/contract/check.ts';
import type { Schema } from '../../src/api/contract/schema.ts';
import { createEventBus } from '../../src/host/event-bus.ts';
import type { EventBus } from '../../src/kernel/events.ts';
import { openServiceFixture, type ServiceFixture } from '../support/service-fixture.ts';
import { serverFolder } from '../support/stdio-fixture.ts';

/** A service that tells what the test says, besides what a host does. */
async function openWithBus(): Promise<
  AsyncDisposable & { readonly api: ServiceFixture; readonly bus: EventBus }
> {
  const bus = createEventBus({
    wallNow: Date.now,
    onListenerFailed: (_name, error) => expect.fail(String(error)),
  });
  const { openHostFixture } = await import('../support/host-fixture.ts');
  const inner = await openHostFixture();
  const api = await openServiceFixture({
    service: {
      openHost: async (options) => {
        const opened = await inner.openWithin(options);
        return { ...opened, host: { ...opened.host, on: bus.on, off: bus.off } };
      },
    },
  });
  return {
    bus,
    api,
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]();
      await inner[Symbol.asyncDispose]();
    },
  };
}

/** Reads until this many events of the host have come. */
async function hear(
  api: ServiceFixture,
  count: number,
  options: { readonly lastEventId?: string; readonly onEvent?: (message: StreamMessage) => void } = {},
): Promise<readonly StreamMessage[]> {
  const heard: StreamMessage[] = [];
  const stop = new AbortController();
  for await (const message of api
    .client('read')
    .events({ lastEventId: options.lastEventId, signal: stop.signal })) {
    options.onEvent?.(message);
    if (!message.event.startsWith('mcp.')) continue;
    heard.push(message);
    if (heard.length >= count) break;
  }
  stop.abort();
  return heard;
}

/** The ids of this many events of the host, with as little work as can be: many listen in one process. */
async function hearIds(api: ServiceFixture, count: number): Promise<readonly number[]> {
  const response = await fetch(`${api.service.url}/events`, {
    headers: { authorization: `Bearer ${api.tokens.read}` },
  });
  const ids: number[] = [];
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const blocks = (rest + Buffer.from(chunk).toString('latin1')).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const id = /^id: (\d+)\nevent: mcp/.exec(block)?.[1];
      if (id !== undefined) ids.push(Number(id));
    }
    if (ids.length >= count) break;
  }
  return ids;
}

function idOf(message: StreamMessage | undefined): number {
  return message !== undefined && 'id' in message.data ? message.data.id : Number.NaN;
}

async function subscribed(api: ServiceFixture, count: number): Promise<void> {
  await expect
    .poll(async () => /^holt_event_subscribers (\d+)$/m.exec(await api.client().send('GET /metrics'))?.[1])
    .toBe(String(count));
}

test('10,000 events reach 19 of 20 listeners in order and in time while one takes nothing', async () => {
  await using opened = await openWithBus();
  const { api, bus } = opened;
  const total = 10_000;
  const delays: number[] = [];
  const onEvent = ({ event, data }: StreamMessage): void => {
    if (event === 'mcp.log') delays.push(performance.now() - (data.data as { at: number }).at);
  };
  const listeners = [
    hear(api, total, { onEvent }).then((heard) => heard.map(idOf)),
    ...Array.from({ length: 18 }, () => hearIds(api, total)),
  ];
  const stalled = connect({ host: '127.0.0.1', port: api.port }, () => {
    stalled.write(
      `GET /events HTTP/1.1\r\nHost: 127.0.0.1:${api.port}\r\nAuthorization: Bearer ${api.tokens.read}\r\n\r\n`,
    );
    stalled.pause();
  });
  stalled.on('error', () => undefined);
  await subscribed(api, 20);
  const before = process.memoryUsage().rss;
  const text = 'x'.repeat(1000);
  for (let sent = 0; sent < total; sent += 1) {
    bus.emit('mcp.log', { server: 's', level: 'info', data: { at: performance.now(), text } });
    if (sent % 50 === 49) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const all = await Promise.all(listeners);
  const grown = process.memoryUsage().rss - before;
  for (const ids of all) expect(ids).toEqual(Array.from({ length: total }, (_, at) => (ids[0] ?? 0) + at));
  expect(await api.client().send('GET /metrics')).toMatch(/^holt_event_subscribers_dropped_total 1$/m);
  expect(delays.toSorted((left, right) => left - right)[Math.floor(total * 0.99)]).toBeLessThan(1000);
  // What was sent is 200 MB; what the listeners of this very process keep is most of what is left.
  expect(grown).toBeLessThan(400 << 20);
  stalled.destroy();
}, 60_000);

test('a client that reconnects with its last event id misses no event and gets none twice', async () => {
  await using opened = await openWithBus();
  const { api, bus } = opened;
  const emit = (count: number): void => {
    for (let left = count; left > 0; left -= 1) bus.emit('mcp.tools.changed', { server: 's' });
  };
  const first = hear(api, 10);
  await subscribed(api, 1);
  emit(10);
  const seen = await first;
  emit(500);
  const missed = await hear(api, 500, { lastEventId: String(idOf(seen.at(-1))) });
  expect(missed.map(idOf)).toEqual(Array.from({ length: 500 }, (_, at) => idOf(seen.at(-1)) + 1 + at));
});

test('a client that missed more than a thousand events gets a reset with the current state, and then new events', async () => {
  await using opened = await openWithBus();
  const { api, bus } = opened;
  for (let left = 1005; left > 0; left -= 1) bus.emit('mcp.tools.changed', { server: 's' });
  const messages: StreamMessage[] = [];
  const stop = new AbortController();
  for await (const message of api.client('read').events({ lastEventId: '5', signal: stop.signal })) {
    messages.push(message);
    if (messages.length === 1) bus.emit('mcp.prompts.changed', { server: 't' });
    if (messages.length === 2) break;
  }
  stop.abort();
  expect(messages.map(({ event }) => event)).toEqual(['reset', 'mcp.prompts.changed']);
  expect(messages[0]?.data).toMatchObject({ status: {} });
  expect(idOf(messages[1])).toBe(idOf(messages[0]) + 1);
});

test.each([
  ['before it begins', 'never', []],
  ['between two messages', 'at once', ['snapshot']],
  ['while it waits', 'later', ['snapshot']],
])('a stream whose signal is aborted %s ends without an error', async (_name, when, heard) => {
  await using opened = await openWithBus();
  const stop = new AbortController();
  if (when === 'never') stop.abort();
  const events: string[] = [];
  for await (const { event } of opened.api.client('read').events({ signal: stop.signal })) {
    events.push(event);
    if (when === 'at once') stop.abort();
    else setImmediate(() => stop.abort());
  }
  expect(events).toEqual(heard);
});

test('events have the names and shapes of their schemas', async () => {
  const echo = { command: process.execPath, args: [`${serverFolder}/echo.mjs`] };
  await using api = await openServiceFixture({ host: { policy: { default: 'allow' } } });
  const schemas: Readonly<Record<string, Schema<unknown>>> = routes['GET /events'].streams;
  const names = new Set<string>();
  const stop = new AbortController();
  const listening = (async () => {
    for await (const { event, data } of api.client('read').events({ signal: stop.signal })) {
      names.add(event);
      const schema = schemas[event];
      expect([event, schema === undefined ? 'no schema' : check(schema, data)]).toEqual([
        event,
        { ok: true },
      ]);
      if (event.startsWith('mcp.'))
        expect(data).toMatchObject({ id: expect.any(Number) as number, at: expect.any(String) as string });
      if (event === 'mcp.tool.called') break;
    }
  })();
  await subscribed(api, 1);
  await api.client().send('POST /mcp', { body: { name: 'echo', config: echo } });
  await api.client().callTool('mcp__echo__echo', { text: 'x' });
  await listening;
  stop.abort();
  expect([...names]).toEqual(
    expect.arrayContaining([
      'snapshot',
      'mcp.config.changed',
      'mcp.phase',
      'mcp.status.changed',
      'mcp.tool.called',
    ]),
  );
});

test('a change of a config file is applied and reported', async () => {
  const { writeFile, mkdir } = await import('node:fs/promises');
  await using api = await openServiceFixture({
    prepare: (fixture) => mkdir(`${fixture.home}/.holt`, { mode: 0o700 }).then(() => undefined),
  });
  const heard = hear(api, 1);
  await subscribed(api, 1);
  await writeFile(
    `${api.fixture.home}/.holt/mcp.json`,
    JSON.stringify({ mcpServers: { later: { command: 'later' } } }),
    { mode: 0o600 },
  );
  expect(await heard).toMatchObject([{ event: 'mcp.config.changed', data: { added: ['later'] } }]);
});
