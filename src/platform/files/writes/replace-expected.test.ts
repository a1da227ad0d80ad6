import {
  link,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { hostSystem } from '../../../../tests/fixtures/programs/start-program.ts';
import { stampOf } from '../files.ts';
import { replaceExpected, type ExpectedContent, type Replacement } from './replace-file.ts';

let folder: string;
let file: string;
let temp: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'holt-replace-')));
  file = path.join(folder, 'mcp.json');
  temp = path.join(folder, 'temp');
  await writeFile(file, 'old');
  await writeFile(temp, 'new');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const asRead = async (): Promise<ExpectedContent> => ({
  kind: 'bytes',
  bytes: await readFile(file),
  stamp: stampOf(await stat(file)),
});
const replace = async (more: Partial<Replacement> = {}): Promise<'replaced' | 'changed'> =>
  replaceExpected({
    temp,
    file,
    expected: more.expected ?? (await asRead()),
    os: hostSystem,
    rename,
    ...more,
  });

test('a file that is as it was read is replaced, and no second name is left', async () => {
  expect(await replace()).toBe('replaced');
  expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual(['new', ['mcp.json']]);
});

test('T116: a file that was written again with the same content counts as changed', async () => {
  const expected = await asRead();
  const copy = path.join(folder, 'copy');
  await writeFile(copy, 'old');
  await rename(copy, file);

  expect(await replace({ expected })).toBe('changed');
  expect((await readdir(folder)).toSorted()).toEqual(['mcp.json', 'temp']);
});

test('T116: what an editor writes to a file that it emptied during the rename is not lost', async () => {
  const expected = await asRead();
  let editor: Awaited<ReturnType<typeof open>> | undefined;
  const outcome = await replace({
    expected,
    rename: async (from, to) => {
      editor ??= await open(file, 'w');
      await rename(from, to);
    },
  });
  await editor?.writeFile('edited');
  await editor?.close();

  expect(outcome).toBe('changed');
  expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual(['edited', ['mcp.json']]);
});

test('T116: a file that appears right before it would be created is not overwritten', async () => {
  await rm(file);
  const expected = { kind: 'absent' } as const;
  expect(await replace({ expected, rename: () => Promise.reject(new Error('a link is enough')) })).toBe(
    'replaced',
  );
  await rm(temp);
  await writeFile(temp, 'second');

  expect(await replace({ expected })).toBe('changed');
  expect(await readFile(file, 'utf8')).toBe('new');
});

test('T116: on Windows the file is looked at before every attempt', async () => {
  const expected = await asRead();
  let attempts = 0;
  const outcome = await replace({
    expected,
    os: 'windows',
    rename: async () => {
      attempts += 1;
      await writeFile(file, 'edited');
      throw Object.assign(new Error('busy'), { code: 'EBUSY' });
    },
  });

  expect([outcome, attempts, await readFile(file, 'utf8')]).toEqual(['changed', 1, 'edited']);
});

test('another name of the same file keeps the old content', async () => {
  await link(file, path.join(folder, 'other-name'));
  await replace();
  expect(await readFile(path.join(folder, 'other-name'), 'utf8')).toBe('old');
});
