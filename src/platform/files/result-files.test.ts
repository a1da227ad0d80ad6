import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { createStoredResults } from './result-files.ts';

const now = Date.UTC(2030, 0, 10);
const hourMs = 3600 * 1000;
let holtHome: string;
let folder: string;
beforeEach(async () => {
  holtHome = path.join(await mkdtemp(path.join(os.tmpdir(), 'holt-kept-')), '.holt');
  folder = path.join(holtHome, 'cache', 'results');
});
afterEach(() => rm(path.dirname(holtHome), { recursive: true, force: true }));

const open = () => createStoredResults({ holtHome, os: 'linux' }, () => now);

test('each text has a file of its own in a folder of its own, both for the owner alone', async () => {
  const kept = open();
  const files = await Promise.all([kept.write('one'), kept.write('two')]);

  expect(await Promise.all(files.map((file) => readFile(file, 'utf8')))).toEqual(['one', 'two']);
  expect(files.map((file) => path.dirname(file))).toEqual([folder, folder]);
  const modes = await Promise.all([folder, ...files].map(async (place) => (await stat(place)).mode & 0o777));
  expect(modes).toEqual([0o700, 0o600, 0o600]);
});

test('what is older than a day goes, what somebody else put there stays', async () => {
  const kept = open();
  const [old, young] = [await kept.write('old'), await kept.write('young')];
  const foreign = path.join(folder, 'notes.txt');
  await writeFile(foreign, 'mine');
  for (const [file, hours] of [
    [old, 25],
    [young, 23],
    [foreign, 99],
  ] as const)
    await utimes(file, (now - hours * hourMs) / 1000, (now - hours * hourMs) / 1000);
  await kept.prune();

  expect((await readdir(folder)).toSorted()).toEqual(['notes.txt', path.basename(young)]);
});

test('where nothing was kept, nothing is made', async () => {
  await open().prune();
  await expect(stat(holtHome)).rejects.toThrow('ENOENT');
});
