import { lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { removeFile } from './atomic-write.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'holt-remove-'));
  file = path.join(folder, 'x');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const bytes = (text: string) => ({ kind: 'bytes', bytes: Buffer.from(text) }) as const;

test('the file that was meant goes', async () => {
  await writeFile(file, 'a');
  expect(await removeFile(file, bytes('a'))).toBe('removed');
  await expect(lstat(file)).rejects.toThrow('ENOENT');
});

test('a file with other content stays', async () => {
  await writeFile(file, 'b');
  expect([await removeFile(file, bytes('a')), await readFile(file, 'utf8')]).toEqual(['changed', 'b']);
});

test('one that is gone already is gone', async () => {
  expect(await removeFile(file, bytes('a'))).toBe('removed');
});

test('T81: a link in its place stays, and what it leads to', async () => {
  const target = path.join(folder, 'target');
  await writeFile(target, 'a');
  await symlink(target, file);
  expect([await removeFile(file, bytes('a')), await readFile(target, 'utf8')]).toEqual(['changed', 'a']);
});

test('what cannot be removed is told of', async () => {
  await mkdir(file);
  await expect(removeFile(file)).rejects.toMatchObject({ code: 'config-unwritable', details: { file } });
});
