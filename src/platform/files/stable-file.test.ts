import { mkdtemp, realpath, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Clock } from '../clock.ts';
import { realFiles } from './files.ts';
import { readStableFile, type StableFile, type StableFileParts } from './stable-file.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'holt-settled-')));
  file = path.join(folder, 'mcp.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Time passes only in timers; after each one the next of `steps` happens. */
function createClock(steps: readonly (() => void)[] = []): Clock & { readonly waits: readonly number[] } {
  const waits: number[] = [];
  let elapsed = 0;
  return {
    waits,
    now: () => elapsed,
    setTimer: (ms, fire) => {
      let isCancelled = false;
      setImmediate(() => {
        if (isCancelled) return;
        elapsed += ms;
        waits.push(ms);
        steps[waits.length - 1]?.();
        fire();
      });
      return () => {
        isCancelled = true;
      };
    },
  };
}

const write = (text: string) => (): void => writeFileSync(file, text);
const load = (clock: Clock, more: Partial<StableFileParts> = {}): Promise<StableFile | 'unsettled'> =>
  readStableFile(file, 1000, { files: realFiles, clock, now: Date.now, isComplete: () => false, ...more });
const textOf = (settled: StableFile | 'unsettled'): unknown => {
  if (settled === 'unsettled' || settled.outcome.kind !== 'file') return settled;
  return Buffer.from(settled.outcome.bytes).toString();
};
const makeOld = (): Promise<void> => utimes(file, 1, 1);

describe('T116: a file that is not being written is read once', () => {
  test('because nobody has modified it lately', async () => {
    await writeFile(file, 'text');
    await makeOld();
    const clock = createClock();
    expect([textOf(await load(clock)), clock.waits]).toEqual(['text', []]);
  });

  test('because it is not there', async () => {
    const clock = createClock();
    expect([await load(clock), clock.waits]).toEqual([
      { outcome: { kind: 'missing' }, lastContent: undefined },
      [],
    ]);
  });

  test.each(['text', ''])('because its state is known to be complete (%j)', async (text) => {
    await writeFile(file, text);
    const { ino } = await stat(file);
    const clock = createClock();
    const settled = await load(clock, { isComplete: (stamp) => stamp.ino === ino });
    expect([textOf(settled), clock.waits]).toEqual([text, []]);
  });
});

describe('T116: a file that may be being written is read until two reads 100 ms apart agree', () => {
  test('one that was just modified', async () => {
    await writeFile(file, 'text');
    const clock = createClock();
    expect([textOf(await load(clock)), clock.waits]).toEqual(['text', [100]]);
  });

  test.each(['\n', ' \r\n\t', '\ufeff'])(
    'one in which an editor has written only %j so far',
    async (blanks) => {
      await writeFile(file, blanks);
      await makeOld();
      const clock = createClock([() => undefined, write('text')]);
      const settled = await load(clock);
      expect([textOf(settled), clock.waits]).toEqual(['text', [100, 100, 100]]);
      expect(settled).toHaveProperty('lastContent', Buffer.from('text'));
    },
  );

  test('one that an editor has emptied, and writes in two pieces', async () => {
    await writeFile(file, '');
    await makeOld();
    const clock = createClock([() => undefined, write('te'), write('text')]);
    expect([textOf(await load(clock)), clock.waits]).toEqual(['text', [100, 100, 100, 100]]);
  });

  test('one that is written again with content of the same size', async () => {
    await writeFile(file, 'text');
    const clock = createClock([write('next')]);
    expect([textOf(await load(clock)), clock.waits]).toEqual(['next', [100, 100]]);
  });

  test('one that is removed and made again', async () => {
    await writeFile(file, 'text');
    const clock = createClock([() => rmSync(file), write('next')]);
    expect([textOf(await load(clock)), clock.waits]).toEqual(['next', [100, 100, 100]]);
  });

  test('one that was modified in the future, which is waited for once', async () => {
    await writeFile(file, 'text');
    const later = Date.now() / 1000 + 1e6;
    await utimes(file, later, later);
    const clock = createClock();
    expect([textOf(await load(clock)), clock.waits]).toEqual(['text', [100]]);
  });
});

describe('T116: the wait ends', () => {
  test('after two seconds with a file that stays empty, and the content it had is remembered', async () => {
    await writeFile(file, 'text');
    const clock = createClock([write('')]);
    const settled = await load(clock);
    expect([textOf(settled), settled !== 'unsettled' && settled.lastContent?.toString()]).toEqual([
      '',
      'text',
    ]);
    expect(clock.now()).toBe(2000);
  });

  test('after two seconds with a file that never stops changing', async () => {
    await writeFile(file, '0');
    const clock = createClock(Array.from({ length: 100 }, (_, index) => write(String(index))));
    expect([await load(clock), clock.now()]).toEqual(['unsettled', 2000]);
  });

  test('when it is cancelled', async () => {
    await writeFile(file, '');
    const cancelling = new AbortController();
    const clock = createClock([() => undefined, () => cancelling.abort(new Error('enough'))]);
    await expect(load(clock, { signal: cancelling.signal })).rejects.toThrow('enough');
    expect(clock.now()).toBe(200);
  });
});
