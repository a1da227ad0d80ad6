import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { pruneFolder } from './prune-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'holt-prune-'));
  for (const [at, name] of ['old', 'middle', 'new'].entries()) {
    await writeFile(path.join(folder, name), 'x'.repeat(10));
    await utimes(path.join(folder, name), 1000 + at, 1000 + at);
  }
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test.each([
  [3, 30, ['middle', 'new', 'old']],
  [2, 30, ['middle', 'new']],
  [3, 29, ['middle', 'new']],
  [3, 10, ['new']],
  [0, 30, []],
])('at most %s files of at most %s bytes together leave the newest', async (maxFiles, maxBytes, left) => {
  await pruneFolder(folder, { maxFiles, maxBytes });
  expect(await readdir(folder)).toEqual(left);
});

test('what is older than a moment goes, and only what is ours by its name', async () => {
  const storedSince = 1_001_000;
  await pruneFolder(folder, { maxFiles: 3, maxBytes: 30, storedSince, names: /^m/ });
  expect(await readdir(folder)).toEqual(['middle', 'new', 'old']);
  await pruneFolder(folder, { maxFiles: 3, maxBytes: 30, storedSince });
  expect(await readdir(folder)).toEqual(['middle', 'new']);
});

test('folders are left alone, and one that is not there is no error', async () => {
  await mkdir(path.join(folder, 'inner'));
  await pruneFolder(folder, { maxFiles: 0, maxBytes: 0 });
  expect(await readdir(folder)).toEqual(['inner']);
  expect(await pruneFolder(path.join(folder, 'gone'), { maxFiles: 0, maxBytes: 0 })).toEqual({
    files: 0,
    bytes: 0,
  });
});
