import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { lockAddresses, withLock, type LockOptions } from '../lock.ts';
import { createFileLocks, exclusiveLockFlag, type FilePort } from './lock-mechanisms.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'holt-exlock-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Files as macOS opens them: with the lock flag, the second opening of one is refused until the first is closed. */
function createExclusiveFiles(code = 'EAGAIN') {
  const opened = new Set<string>();
  const refusals: string[] = [];
  const files: FilePort = {
    async open(file, flags, mode) {
      expect({ locks: (flags & exclusiveLockFlag) !== 0, mode }).toEqual({ locks: true, mode: 0o600 });
      if (opened.has(file)) {
        refusals.push(file);
        throw Object.assign(new Error(code), { code });
      }
      opened.add(file);
      return {
        async close() {
          opened.delete(file);
        },
      };
    },
  };
  return { files, opened, refusals };
}

const macos = (files: FilePort, more: Partial<LockOptions> = {}): LockOptions => ({
  os: 'macos',
  holtHome: path.join(folder, '.holt'),
  user: '501',
  timeoutMs: 20_000,
  parts: { files },
  ...more,
});

test('on macOS a lock is a file in a private folder, opened exclusively and closed after the work', async () => {
  const { files, opened } = createExclusiveFiles();
  const locks = path.join(folder, '.holt', 'run', 'locks');
  const { held } = lockAddresses('/Users/ada/.mcp.json', { os: 'macos', user: '501', folder: locks });
  const during = await withLock('/Users/ada/.mcp.json', async () => [...opened], macos(files));

  expect(during).toEqual([held]);
  expect([...opened]).toEqual([]);
  expect(path.dirname(held)).toBe(locks);
  expect((await stat(locks)).mode & 0o777).toBe(0o700);
  expect(await readFile(path.join(folder, '.holt', '.gitignore'), 'utf8')).toBe('*\n');
});

test.each(['EAGAIN', 'EWOULDBLOCK'])(
  'a file that another process has open (%s) is tried until it is free',
  async (code) => {
    const { files, refusals } = createExclusiveFiles(code);
    const { held } = lockAddresses('x', {
      os: 'macos',
      user: '501',
      folder: path.join(folder, '.holt/run/locks'),
    });
    const foreign = await createFileLocks(files).tryHold(held);
    if (foreign === 'taken') throw new Error('nobody should have it');
    const attempt = withLock(
      'x',
      async () => 'in',
      macos(files, { onWait: () => setImmediate(() => foreign.release()) }),
    );

    expect(await attempt).toBe('in');
    expect(new Set(refusals)).toEqual(new Set([held]));
  },
);

test('a file that cannot be opened for another reason is no lock that is taken', async () => {
  const files: FilePort = {
    open: () => Promise.reject(Object.assign(new Error('not supported'), { code: 'ENOTSUP' })),
  };

  await expect(withLock('y', async () => 'in', macos(files))).rejects.toMatchObject({
    code: 'internal-error',
  });
});
