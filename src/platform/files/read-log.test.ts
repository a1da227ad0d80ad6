/** Following a log that is appended to, removed and written again. */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { followFile } from './read-log.ts';

let folder = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holt-log-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Follows a file; `next` resolves when that text has arrived. */
function follow(file: string): {
  readonly next: (text: string) => Promise<string>;
  readonly end: () => Promise<void>;
} {
  const stop = new AbortController();
  let seen = '';
  let check = (): void => undefined;
  const following = followFile(file, 0, (text) => ((seen += text), check()), stop.signal);
  return {
    next: (text) =>
      new Promise<string>((resolve) => {
        check = () => {
          if (seen.endsWith(text)) resolve(seen);
        };
        check();
      }),
    end: async () => {
      stop.abort();
      await following;
    },
  };
}

test('a log that is removed, linked away and written again is followed on, and no character is torn', async () => {
  const file = path.join(folder, 'server.log');
  const { next, end } = follow(file);
  const [first, second] = [Buffer.from('ä').subarray(0, 1), Buffer.from('ä').subarray(1)];
  fs.writeFileSync(file, Buffer.concat([Buffer.from('one '), first]));
  expect(await next('one ')).toBe('one ');
  fs.appendFileSync(file, second);
  expect(await next('ä')).toBe('one ä');
  fs.rmSync(file);
  fs.symlinkSync(path.join(folder, 'elsewhere'), file);
  fs.writeFileSync(path.join(folder, 'other.log'), 'new');
  fs.rmSync(file);
  fs.renameSync(path.join(folder, 'other.log'), file);
  expect(await next('new')).toBe('one änew');
  await end();
});
