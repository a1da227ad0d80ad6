/** Pins that wait for their write: what they mean until then, and what becomes of them when somebody else was faster. */

import type { Tool } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';

import { createPinReviewer, createPinMemory, PendingPins, type PinReviewer, type PinStore } from '../pins.ts';

const now = (): Date => new Date('2026-07-28T10:00:00Z');
const read: Tool = { name: 'read', description: 'Reads', inputSchema: { type: 'object' } };
const changed: Tool = { ...read, description: 'Reads, and sends it away' };
const subject = (server: string) => ({ server, key: `key of ${server}`, mode: 'withhold' }) as const;

interface Holding {
  readonly book: PinReviewer;
  readonly pending: PendingPins;
  readonly reports: readonly string[];
}

function holding(store: PinStore): Holding {
  const reports: string[] = [];
  const pending = new PendingPins(store, {
    onPending: () => reports.push('waiting'),
    onSuperseded: (key) => reports.push(`superseded: ${key}`),
    onFailed: (server, reason) => reports.push(`failed: ${server}: ${reason}`),
  });
  return { book: createPinReviewer({ store, pending, now }), pending, reports };
}

test('what reviews find to be new is written by a flush, and nothing before', async () => {
  const store = createPinMemory();
  const { book, pending } = holding(store);
  await Promise.all(['a', 'b'].map((server) => book.review(subject(server), { tools: [read] })));
  expect((await store.load()).servers.size).toBe(0);
  const written = pending.written();
  await pending.flush();
  await written;
  expect([...(await store.load()).servers.keys()]).toEqual(['key of a', 'key of b']);
});

test('a tool that changes before it was written is withheld, and what is written is the first one', async () => {
  const store = createPinMemory();
  const { book, pending } = holding(store);
  expect((await book.review(subject('a'), { tools: [read] })).offered).toEqual([read]);
  expect((await book.review(subject('a'), { tools: [changed] })).withheld).toMatchObject([{ tool: 'read' }]);
  await pending.flush();
  const later = createPinReviewer({ store, now });
  expect((await later.review(subject('a'), { tools: [read] })).offered).toEqual([read]);
});

test('where another process was faster its pins count, and it is reported', async () => {
  const store = createPinMemory();
  const { book, pending, reports } = holding(store);
  await book.review(subject('a'), { tools: [read] });
  await createPinReviewer({ store, now }).review(subject('a'), { tools: [changed] });
  await pending.flush();
  expect(reports).toEqual(['waiting', 'superseded: key of a']);
  expect((await book.review(subject('a'), { tools: [read] })).withheld).toMatchObject([{ tool: 'read' }]);
});

test('another process that pinned the same is not reported', async () => {
  const store = createPinMemory();
  const { book, pending, reports } = holding(store);
  await book.review(subject('a'), { tools: [read] });
  await createPinReviewer({ store, now }).review(subject('a'), { tools: [read] });
  await pending.flush();
  expect(reports).toEqual(['waiting']);
});

test('what is pending while others are written is written by the next flush', async () => {
  const memory = createPinMemory();
  const gate: { open?: () => void } = {};
  const isShut = new Promise<void>((resolve) => (gate.open = resolve));
  const store: PinStore = {
    ...memory,
    change: async (key, edit) => {
      await memory.change(key, edit);
      await isShut;
    },
  };
  const { book, pending } = holding(store);
  await book.review(subject('a'), { tools: [read] });
  const first = pending.flush();
  const other: Tool = { name: 'other', inputSchema: { type: 'object' } };
  const more = book.review(subject('a'), { tools: [read, other] });
  gate.open?.();
  await Promise.all([first, more]);
  await pending.flush();
  expect([...((await memory.load()).servers.get('key of a')?.tools.keys() ?? [])]).toEqual(['read', 'other']);
});

test('pins that cannot be written are reported by the name of their server', async () => {
  const store: PinStore = {
    ...createPinMemory(),
    change: () => Promise.reject(new Error('the disk is full')),
  };
  const { book, pending, reports } = holding(store);
  await book.review(subject('a'), { tools: [read] });
  await pending.flush();
  expect(reports).toEqual(['waiting', 'failed: a: the disk is full']);
});

test('accepting a tool writes at once', async () => {
  const store = createPinMemory();
  const { book } = holding(store);
  await book.review(subject('a'), { tools: [read] });
  await book.accept('key of a', { tools: [changed] });
  const later = createPinReviewer({ store, now });
  expect((await later.review(subject('a'), { tools: [changed] })).offered).toEqual([changed]);
});
