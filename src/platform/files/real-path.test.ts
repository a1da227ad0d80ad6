import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { realPathNow, realPathOf } from './real-path.ts';

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'holt-real-')));
  await mkdir(path.join(folder, 'real'));
  await symlink('real', path.join(folder, 'alias'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('links are followed as far as the path exists', async () => {
  expect(await realPathOf(path.join(folder, 'alias'))).toBe(path.join(folder, 'real'));
  expect(await realPathOf(path.join(folder, 'alias', 'not', 'yet.json'))).toBe(
    path.join(folder, 'real', 'not', 'yet.json'),
  );
});

test('without waiting the same is found, and what cannot be followed is taken as it is', () => {
  expect(realPathNow(path.join(folder, 'alias'))).toBe(path.join(folder, 'real'));
  expect(realPathNow(path.join(folder, 'alias', 'not', 'yet.json'))).toBe(
    path.join(folder, 'real', 'not', 'yet.json'),
  );
  expect([realPathNow('/'), realPathNow(path.join(folder, 'a\0b'))]).toEqual([
    '/',
    path.join(folder, 'a\0b'),
  ]);
});

test('what stands in the place of a folder is named, with what to do', async () => {
  await writeFile(path.join(folder, 'taken'), '');
  await expect(realPathOf(path.join(folder, 'alias', '..', 'taken', 'deep', 'x.json'))).rejects.toMatchObject(
    {
      code: 'config-unwritable',
      message: `${path.join(folder, 'taken')} is not a folder, so nothing can be written there`,
      details: { reason: 'not-a-folder' },
      remedy: 'Move it away; holt makes the folder itself.',
    },
  );
});
