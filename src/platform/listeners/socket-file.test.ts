import { chmod, lstat, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { prepareSocketFile } from './socket-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'holt-socket-')));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a folder that is missing is made, for nobody else', async () => {
  const file = path.join(folder, 'new', 'api.sock');
  expect(await prepareSocketFile(file)).toBe(file);
  expect((await lstat(path.dirname(file))).mode & 0o777).toBe(0o700);
});

test.each([0o777, 0o755, 0o750, 0o710])(
  'T77: a folder with mode %o is refused and left as it is',
  async (mode) => {
    const inner = path.join(folder, 'open');
    await mkdir(inner);
    await chmod(inner, mode);
    await expect(prepareSocketFile(path.join(inner, 'api.sock'))).rejects.toMatchObject({
      code: 'folder-unsafe',
      details: { folder: inner, reason: 'open-to-others' },
    });
    expect((await lstat(inner)).mode & 0o777).toBe(mode);
  },
);

test('T77: a link in the folder’s place is refused', async () => {
  await mkdir(path.join(folder, 'real'), { mode: 0o700 });
  await symlink(path.join(folder, 'real'), path.join(folder, 'link'));
  await expect(prepareSocketFile(path.join(folder, 'link', 'api.sock'))).rejects.toMatchObject({
    code: 'folder-unsafe',
    details: { reason: 'link' },
  });
});

test('a socket that nobody listens at makes room', async () => {
  const file = path.join(folder, 'api.sock');
  const server = createServer().listen(file);
  await new Promise((resolve) => server.once('listening', resolve));
  await expect(prepareSocketFile(file)).rejects.toThrow('is in use by another program');
  // What a killed process leaves: the name without anybody behind it.
  const kept = path.join(folder, 'kept.sock');
  const { rename } = await import('node:fs/promises');
  await rename(file, kept);
  await new Promise((resolve) => server.close(resolve));
  expect(await prepareSocketFile(kept)).toBe(kept);
  await expect(lstat(kept)).rejects.toThrow('ENOENT');
});

test('what is no socket stays where it is', async () => {
  const file = path.join(folder, 'api.sock');
  await writeFile(file, 'mine');
  await expect(prepareSocketFile(file)).rejects.toThrow('is there and is not a socket');
  expect((await lstat(file)).size).toBe(4);
});

test('a path that the system would cut off is refused', async () => {
  await expect(prepareSocketFile(path.join(folder, 'x'.repeat(100)))).rejects.toThrow(
    'is longer than 103 bytes',
  );
});
