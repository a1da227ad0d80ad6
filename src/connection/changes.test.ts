import { describe, expect, test } from 'vitest';

import { createFakeClock } from '../../tests/support/fake-clock.ts';
import { createChanges, keepListening, type ChangesParts } from './changes.ts';
import type { ListKind } from './channel.ts';

function followed(relist: ChangesParts['relist'] = () => Promise.resolve(true)) {
  const clock = createFakeClock();
  const told: string[] = [];
  const read: string[] = [];
  const changes = createChanges({
    clock,
    relist: (kind) => {
      read.push(`${kind} at ${clock.now()}`);
      return relist(kind);
    },
    onChanged: (kind) => told.push(kind),
    onFailed: (kind, error) => told.push(`${kind}: ${String(error)}`),
  });
  return { clock, changes, told, read };
}

describe('notices of a change', () => {
  test('that come within fifty milliseconds are one', async () => {
    const { clock, changes, told, read } = followed();
    for (let count = 0; count < 1000; count += 1) changes.notice('tools');
    await clock.advance(49);
    changes.notice('tools');
    expect(read).toEqual([]);
    await clock.advance(1);
    expect([read, told]).toEqual([['tools at 50'], ['tools']]);
  });

  test('re-read just the list they are about', async () => {
    const { clock, changes, told } = followed();
    changes.notice('prompts');
    await clock.advance(50);
    changes.notice('resources');
    await clock.advance(50);
    expect(told).toEqual(['prompts', 'resources']);
  });

  test('are no news when the list is the same', async () => {
    const { clock, changes, told, read } = followed(() => Promise.resolve(false));
    changes.notice('tools');
    await clock.advance(50);
    expect([read.length, told]).toEqual([1, []]);
  });

  test('that come while the list is being read have it read once more, afterwards', async () => {
    const waiting: (() => void)[] = [];
    const { clock, changes, told, read } = followed(
      () => new Promise((resolve) => waiting.push(() => resolve(true))),
    );
    changes.notice('tools');
    await clock.advance(50);
    changes.notice('tools');
    await clock.advance(50);
    expect(read).toEqual(['tools at 50']);
    waiting[0]?.();
    await clock.advance(50);
    waiting[1]?.();
    await clock.advance(0);
    expect([read.length, told]).toEqual([2, ['tools', 'tools']]);
  });

  test('lead to a word about what went wrong, and the next one is heard again', async () => {
    let attempt = 0;
    const { clock, changes, told } = followed(() =>
      (attempt += 1) === 1 ? Promise.reject(new Error('gone')) : Promise.resolve(true),
    );
    changes.notice('tools');
    await clock.advance(50);
    changes.notice('tools');
    await clock.advance(50);
    expect(told).toEqual(['tools: Error: gone', 'tools']);
  });

  test('are not followed after the end', async () => {
    const { clock, changes, read } = followed();
    changes.notice('tools');
    changes.close();
    changes.notice('prompts');
    await clock.advance(1000);
    expect([read, clock.pending]).toEqual([[], 0]);
  });
});

describe('a stream of notices', () => {
  function listening(plan: readonly ('open' | 'refused' | 'final')[]) {
    const clock = createFakeClock();
    const stop = new AbortController();
    const opened: number[] = [];
    const ends: (() => void)[] = [];
    const noticed: ListKind[] = [];
    const done = keepListening({
      clock,
      signal: stop.signal,
      random: () => 1,
      changes: { notice: (kind) => noticed.push(kind) },
      isFinal: (error) => error === 'final',
      open: () => {
        const step = plan[opened.length] ?? 'open';
        opened.push(clock.now());
        if (step !== 'open') return Promise.reject(step);
        return Promise.resolve({ closed: new Promise<void>((resolve) => ends.push(resolve)) });
      },
    });
    return { clock, stop, opened, noticed, done, end: () => ends.pop()?.() };
  }

  test('that breaks is opened anew after a while, and everything is looked up', async () => {
    const { clock, opened, noticed, end, stop, done } = listening([]);
    await clock.advance(10_000);
    expect([opened, noticed]).toEqual([[0], []]);
    end();
    await clock.advance(249);
    expect(opened).toEqual([0]);
    await clock.advance(1);
    expect([opened, noticed]).toEqual([
      [0, 10_250],
      ['tools', 'resources', 'prompts'],
    ]);
    stop.abort();
    end();
    await done;
  });

  test('that is refused is asked for less and less often', async () => {
    const { clock, opened, stop, done } = listening(Array.from({ length: 20 }, () => 'refused' as const));
    await clock.advance(100_000);
    expect(opened).toEqual([0, 250, 750, 1750, 3750, 7750, 15_750, 31_750, 61_750, 91_750]);
    stop.abort();
    await done;
  });

  test('that closes politely at once is not dialled in a tight loop', async () => {
    const { clock, opened, end, stop, done } = listening([]);
    for (let turn = 0; turn < 40; turn += 1) {
      await clock.advance(250);
      end();
    }
    expect(opened.length).toBeLessThan(8);
    stop.abort();
    await clock.advance(0);
    end();
    await done;
  });

  test('that is refused for good is not asked for again', async () => {
    const { clock, opened, done } = listening(['final']);
    await done;
    await clock.advance(100_000);
    expect(opened).toEqual([0]);
  });
});
