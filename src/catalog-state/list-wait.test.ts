/** How long a list waits, by the clock: what counts, and what does not. */

import { expect, test } from 'vitest';

import { createFakeClock } from '../../tests/support/fake-clock.ts';
import type { Connection } from '../connection/connection.ts';
import { Retirement } from '../connection/server-state.ts';
import type { Status } from '../kernel/phases.ts';
import { createStartQuestions } from '../server-requests/start-questions.ts';
import { createListWait } from './list-wait.ts';

interface FakeServer {
  readonly connection: Connection;
  readonly starts: () => number;
  readonly settle: (status: Status) => void;
}

function fakeServer(ref: string, first: Status = { status: 'idle' }): FakeServer {
  let status = first;
  let starts = 0;
  let settle: () => void = () => undefined;
  const attempt = new Promise<void>((resolve) => (settle = resolve));
  const connection = {
    entry: { ref },
    session: undefined,
    retirement: new Retirement(),
    status: () => status,
    hasNewLogin: () => Promise.resolve(false),
    connect: async () => {
      starts += 1;
      status = { status: 'connecting', phase: 'initializing' };
      await attempt;
      return status;
    },
  };
  return {
    connection: connection as Connection, // all that is looked at here
    starts: () => starts,
    settle: (end) => {
      status = end;
      settle();
    },
  };
}

function listing(servers: readonly FakeServer[], withEntries: ReadonlySet<FakeServer>) {
  const clock = createFakeClock();
  const startQuestions = createStartQuestions();
  const warnings: string[] = [];
  const wait = createListWait({
    clock,
    startQuestions,
    emit: (_name, event) => 'message' in event && warnings.push(event.message),
    connections: () => servers.map(({ connection }) => connection),
    isCached: () => Promise.resolve(false),
    hasEntries: (_kind, connection) =>
      connection.status().status === 'connected' &&
      [...withEntries].some((one) => one.connection === connection),
  });
  let isDone = false;
  const done = wait.until({ kind: 'tools', wait: undefined, ref: undefined }).then(() => (isDone = true));
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const isDoneNow = async (): Promise<boolean> => (await turn(), isDone);
  return { clock, startQuestions, warnings, wait, done, isDoneNow };
}

test('a list ends when all have settled, before its time', async () => {
  const [one, two] = [fakeServer('one'), fakeServer('two')];
  const { isDoneNow, warnings } = listing([one, two], new Set([one]));
  expect(await isDoneNow()).toBe(false);
  one.settle({ status: 'connected' });
  expect(await isDoneNow()).toBe(false);
  two.settle({ status: 'failed', error: 'x' });
  expect([await isDoneNow(), warnings]).toEqual([true, []]);
});

test('after two seconds one server with entries is enough, and none that failed or waits was started', async () => {
  const good = fakeServer('good');
  const slow = fakeServer('slow');
  const failed = fakeServer('failed', { status: 'failed', error: 'x' });
  const later = fakeServer('later', { status: 'connecting', phase: 'disconnected', retryAt: '2026' });
  const { clock, isDoneNow, wait, warnings } = listing([good, slow, failed, later], new Set([good]));
  await isDoneNow();
  good.settle({ status: 'connected' });
  await clock.advance(1999);
  expect(await isDoneNow()).toBe(false);
  await clock.advance(1);
  expect(await isDoneNow()).toBe(true);
  expect([failed.starts(), later.starts()]).toEqual([0, 0]);
  const text = 'slow did not answer within 2 s (phase initializing). Run holt tools slow to wait for it.';
  expect([warnings, wait.overdueText(slow.connection, 'tools')]).toEqual([[text], text]);
  slow.settle({ status: 'connected' });
  await isDoneNow();
  expect(wait.overdueText(slow.connection, 'tools')).toBeUndefined();
});

test('without entries a list waits on, and the first entries end it', async () => {
  const [empty, slow, silent] = [fakeServer('empty'), fakeServer('slow'), fakeServer('silent')];
  const { clock, isDoneNow } = listing([empty, slow, silent], new Set([slow]));
  await isDoneNow();
  await clock.advance(60_000);
  empty.settle({ status: 'connected' });
  expect(await isDoneNow()).toBe(false);
  slow.settle({ status: 'connected' });
  expect(await isDoneNow()).toBe(true);
});

test('the time in which a person is asked does not count', async () => {
  const [good, asks] = [fakeServer('good'), fakeServer('asks')];
  const { clock, isDoneNow, startQuestions } = listing([good, asks], new Set([good]));
  await isDoneNow();
  good.settle({ status: 'connected' });
  await clock.advance(1500);
  let answer: () => void = () => undefined;
  const asked = startQuestions.watch(() => new Promise<void>((resolve) => (answer = resolve)))?.(undefined);
  await clock.advance(60_000);
  expect(await isDoneNow()).toBe(false);
  answer();
  await asked;
  await clock.advance(499);
  expect(await isDoneNow()).toBe(false);
  await clock.advance(1);
  expect(await isDoneNow()).toBe(true);
});
