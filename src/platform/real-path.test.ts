import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
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
