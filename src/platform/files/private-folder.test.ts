import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { makeHoltFolder, makePrivateFolder } from './private-folder.ts';

const linux = { os: 'linux' } as const;
let base: string;
let folder: string;

beforeEach(async () => {
  base = await mkdtemp(path.join(os.tmpdir(), 'holt-private-'));
  folder = path.join(base, '.holt');
});
afterEach(() => rm(base, { recursive: true, force: true }));

const modeOf = async (place: string) => (await stat(place)).mode & 0o777;

test('a folder that is missing is made, with those above it, for us alone', async () => {
  const deep = path.join(folder, 'run', 'locks');

  expect(await makePrivateFolder(deep, linux)).toEqual({ made: true, tightened: false });
  expect([await modeOf(folder), await modeOf(deep)]).toEqual([0o700, 0o700]);
  expect(await makePrivateFolder(deep, linux)).toEqual({ made: false, tightened: false });
});

test('where no folder can be made, that is said at once', async () => {
  await expect(makePrivateFolder('/proc/none/.holt', linux)).rejects.toMatchObject({
    code: 'config-unwritable',
    details: { reason: 'ENOENT' },
  });
});

test('many at once make one folder', async () => {
  const results = await Promise.all(Array.from({ length: 20 }, () => makePrivateFolder(folder, linux)));

  expect(results.filter(({ made }) => made)).toHaveLength(1);
});

test('a folder of ours that others can look into is closed to them, and this is said', async () => {
  await mkdir(folder);
  await chmod(folder, 0o755);

  expect(await makePrivateFolder(folder, linux)).toEqual({ made: false, tightened: true });
  expect(await modeOf(folder)).toBe(0o700);
});

test('T77: a folder that others can write to is not used', async () => {
  await mkdir(folder);
  await chmod(folder, 0o777);

  await expect(makePrivateFolder(folder, linux)).rejects.toMatchObject({
    code: 'folder-unsafe',
    message: `${folder} can be written by others`,
    details: { folder, reason: 'writable-by-others' },
    remedy: 'Look through what is in it, then take their rights away: chmod 700.',
  });
  expect(await modeOf(folder)).toBe(0o777);
});

test('T77: a folder of another user is not used', async () => {
  await mkdir(folder, { mode: 0o700 });
  const uid = (await lstat(folder)).uid + 1;

  await expect(makePrivateFolder(folder, { ...linux, uid })).rejects.toMatchObject({
    code: 'folder-unsafe',
    details: { folder, reason: 'owned-by-another' },
  });
});

test('T77: a link in the place of the folder is not followed, on any system', async () => {
  await mkdir(path.join(base, 'elsewhere'), { mode: 0o700 });
  await symlink('elsewhere', folder);

  for (const system of ['linux', 'macos', 'windows'] as const) {
    await expect(makePrivateFolder(`${folder}/`, { os: system })).rejects.toMatchObject({
      code: 'folder-unsafe',
      details: { folder, reason: 'link' },
    });
  }
});

test('something else in the place of the folder is named', async () => {
  await writeFile(folder, '');

  await expect(makePrivateFolder(folder, linux)).rejects.toMatchObject({
    details: { folder, reason: 'not-a-folder' },
  });
  await expect(makePrivateFolder(path.join(folder, 'run'), linux)).rejects.toMatchObject({
    code: 'config-unwritable',
    details: { file: path.join(folder, 'run'), reason: 'ENOTDIR' },
  });
});

test('on Windows modes and owners say nothing and are left alone', async () => {
  await mkdir(folder);
  await chmod(folder, 0o777);

  expect(await makePrivateFolder(folder, { os: 'windows', uid: 12345 })).toEqual({
    made: false,
    tightened: false,
  });
  expect(await modeOf(folder)).toBe(0o777);
});

test("holt's own folder is kept out of repositories from the start, and only then", async () => {
  expect(await makeHoltFolder(folder, ['run', 'locks'], linux)).toEqual({ made: true, tightened: false });
  expect(await readFile(path.join(folder, '.gitignore'), 'utf8')).toBe('*\n');
  expect(await modeOf(path.join(folder, 'run'))).toBe(0o700);
  expect(await readdir(path.join(folder, 'run'))).toEqual(['locks']);

  await rm(path.join(folder, '.gitignore'));
  await makeHoltFolder(folder, [], linux);
  expect(await readdir(folder)).toEqual(['run']);
});

test("every folder below holt's own is checked, not only the last", async () => {
  await makeHoltFolder(folder, [], linux);
  await mkdir(path.join(base, 'elsewhere', 'locks'), { recursive: true, mode: 0o700 });
  await symlink('../elsewhere', path.join(folder, 'run'));

  await expect(makeHoltFolder(folder, ['run', 'locks'], linux)).rejects.toMatchObject({
    details: { folder: path.join(folder, 'run'), reason: 'link' },
  });
});
