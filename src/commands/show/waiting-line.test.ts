/** What the line says, by the clock. */

import { expect, test } from 'vitest';

import { createFakeClock } from '../../../tests/support/fake-clock.ts';
import type { Status } from '../../kernel/phases.ts';
import { withWaitingLine, type WaitingLine } from './waiting-line.ts';

const starting: Status = { status: 'connecting', phase: 'initializing' };

function waiting(status: Record<string, Status>, set: (line: WaitingLine) => void = () => undefined) {
  const clock = createFakeClock();
  const shown: (string | undefined)[] = [];
  let end: () => void = () => undefined;
  const done = withWaitingLine(
    { status: () => status },
    { clock, progress: (text) => shown.push(text) },
    (line) => {
      set(line);
      return new Promise<void>((resolve) => (end = resolve));
    },
  );
  return { clock, shown, end: async () => (end(), done) };
}

test('after a second, and after each one more, the servers that are being started are named; the end removes them', async () => {
  const { clock, shown, end } = waiting({ a: starting, b: { status: 'connected' } });
  await clock.advance(999);
  expect(shown).toEqual([]);
  await clock.advance(1001);
  expect(shown).toEqual(['Waiting for a (initializing), 1 s', 'Waiting for a (initializing), 2 s']);
  await end();
  await clock.advance(5000);
  expect(shown.slice(2)).toEqual([undefined]);
});

test('of many servers three are named', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const { clock, shown } = waiting(Object.fromEntries(names.map((name) => [name, starting])));
  await clock.advance(1000);
  expect(shown).toEqual(['Waiting for a (initializing), b (initializing), c (initializing) and 2 more, 1 s']);
});

test('only those that were asked for count', async () => {
  const { clock, shown } = waiting({ a: starting, b: starting }, (line) => line.amongServers(['b']));
  await clock.advance(1000);
  expect(shown).toEqual(['Waiting for b (initializing), 1 s']);
});

test('a server that waits to be restarted is marked', async () => {
  const { clock, shown } = waiting({ a: { status: 'connecting', phase: 'disconnected', retryAt: '2026' } });
  await clock.advance(1000);
  expect(shown).toEqual(['Waiting for a (waiting to retry), 1 s']);
});

test('a call is named once its server is up, and a report of its progress is shown immediately', async () => {
  const parts: { line?: WaitingLine } = {};
  const { clock, shown } = waiting({}, (line) => (parts.line = line));
  await clock.advance(1000);
  parts.line?.waitFor('a.draw');
  await clock.advance(1000);
  parts.line?.report('draw: 1/4');
  await clock.advance(1000);
  expect(shown).toEqual([undefined, 'Waiting for a.draw, 2 s', 'draw: 1/4, 2 s', 'draw: 1/4, 3 s']);
});
