import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';

import type { Clock } from '../../platform/clock.ts';
import { openAccount } from '../../../tests/support/receive-accounts.ts';
import { createInbox, type Inbox } from './program-streams.ts';

/** Each look at it costs a millisecond: lines take time. */
function slowClock(): Clock {
  let now = 0;
  return {
    now: () => (now += 1),
    setTimer: () => () => undefined,
  };
}

interface Opened {
  readonly stdout: PassThrough;
  readonly lines: string[];
  readonly inbox: Inbox;
  readonly tooLong: { count: number };
}

function open(clock: Clock = { now: () => 0, setTimer: () => () => undefined }): Opened {
  const stdout = new PassThrough({ highWaterMark: 1 << 24 });
  const lines: string[] = [];
  const tooLong = { count: 0 };
  const inbox = createInbox(stdout, {
    clock,
    limits: { messageBytes: 1000, messageNodes: 1000 },
    source: openAccount().openSource(),
    onLine: ({ text }) => lines.push(text),
    onExcess: () => {
      tooLong.count += 1;
    },
  });
  return { stdout, lines, inbox, tooLong };
}

async function settled({ inbox }: Opened): Promise<void> {
  do await nextTurn();
  while (inbox.isBusy);
}

test('lines come in the turn in which they were sent', async () => {
  const opened = open();
  opened.stdout.write('one\ntwo\nthr');
  await nextTurn();

  expect(opened.lines).toEqual(['one', 'two']);
  expect(opened.inbox.isBusy).toBe(false);
});

test('a flood is worked off in slices, others get their turns in between, and nothing is lost', async () => {
  const opened = open(slowClock());
  const sent = Array.from({ length: 1000 }, (_, index) => `line ${index}`);
  opened.stdout.write(`${sent.join('\n')}\n`);
  let turns = 0;
  do {
    await nextTurn();
    turns += 1;
  } while (opened.inbox.isBusy);

  expect(opened.lines).toEqual(sent);
  expect(turns).toBeGreaterThan(10);
});

test('a stream that is ahead is not read from until its lines are worked off', async () => {
  const opened = open(slowClock());
  const flood = `${'x'.repeat(99)}\n`.repeat(2000);
  opened.stdout.write(flood);
  await nextTurn();
  expect(opened.inbox.isBusy).toBe(true);
  opened.stdout.write(flood);
  opened.stdout.write(flood);
  await nextTurn();
  expect(opened.stdout.isPaused()).toBe(true);
  await settled(opened);

  expect(opened.stdout.isPaused()).toBe(false);
  expect(opened.lines).toHaveLength(6000);
});

test('what comes after the last line end is a line when the stream is over', async () => {
  const opened = open();
  opened.stdout.end('one\n{"half":1}');
  await nextTurn();
  opened.inbox.finish();
  opened.inbox.finish();

  expect(opened.lines).toEqual(['one', '{"half":1}']);
});

test('a line over the limit is told once, and what follows is read and thrown away', async () => {
  const opened = open();
  opened.stdout.write(`fine\n${'y'.repeat(2000)}`);
  await nextTurn();
  opened.stdout.write('more\nand more\n');
  await nextTurn();
  opened.inbox.finish();

  expect(opened.lines).toEqual(['fine']);
  expect(opened.tooLong.count).toBe(1);
  expect(opened.stdout.readableLength).toBe(0);
});

test('nothing comes any more once it is closed, not even what waits', async () => {
  const opened = open(slowClock());
  opened.stdout.write('line\n'.repeat(1000));
  await nextTurn();
  const seen = opened.lines.length;
  opened.inbox.close();
  await settled(opened);

  expect(seen).toBeLessThan(1000);
  expect(opened.lines).toHaveLength(seen);
});
