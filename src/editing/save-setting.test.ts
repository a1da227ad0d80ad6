import { mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import type { Machine } from '../kernel/machine.ts';
import type { Clock } from '../platform/clock.ts';
import { realFiles } from '../platform/files/files.ts';
import { readMachine } from '../platform/machine-facts.ts';
import { schemaDocuments } from '../settings/json-schema.ts';
import type { FileEdited } from './edit-file.ts';
import { undoLast } from './undo.ts';
import { saveSetting, type SettingChange } from './save-setting.ts';

let root: string;
let machine: Machine;

beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'holt-save-'));
  await mkdir(path.join(root, 'home'));
  await mkdir(path.join(root, 'project', '.git'), { recursive: true });
  machine = readMachine({ cwd: path.join(root, 'project'), home: path.join(root, 'home'), env: {} });
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function save(change: SettingChange): Promise<Pick<FileEdited, 'file' | 'outcome'>> {
  const { file, outcome } = await saveSetting(change, { machine, files: realFiles, now: Date.now });
  return { file, outcome };
}

test('makes the user’s folder and file for the user alone, with a schema that editors find', async () => {
  const file = path.join(machine.holtHome, 'config.json');
  expect(await save({ scope: 'user', name: 'naming', value: 'plain' })).toEqual({ file, outcome: 'created' });
  const written = JSON.parse(await readFile(file, 'utf8'));
  expect(written).toEqual({ $schema: './cache/schemas/config.json', naming: 'plain' });
  const schema = await readFile(path.join(machine.holtHome, written.$schema), 'utf8');
  expect(JSON.parse(schema)).toEqual(JSON.parse(JSON.stringify(schemaDocuments().config)));
  expect((await stat(machine.holtHome)).mode & 0o777).toBe(0o700);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(path.join(machine.holtHome, '.gitignore'), 'utf8')).toBe('*\n');
});

test('writes a project’s and a local file below the project’s root', async () => {
  await save({ scope: 'project', name: 'concurrency', value: 2 });
  await save({ scope: 'local', name: 'concurrency', value: 1 });
  const folder = path.join(machine.projectRoot, '.holt');
  expect((await readdir(folder)).toSorted()).toEqual(['config.json', 'config.local.json']);
  expect(JSON.parse(await readFile(path.join(folder, 'config.json'), 'utf8'))).toEqual({
    concurrency: 2,
  });
  expect(JSON.parse(await readFile(path.join(folder, 'config.local.json'), 'utf8'))).toEqual({
    concurrency: 1,
  });
});

test('a file from a Windows editor keeps its encoding', async () => {
  const file = path.join(machine.holtHome, 'config.json');
  await mkdir(machine.holtHome, { mode: 0o700 });
  await writeFile(file, Buffer.from('\ufeff{\r\n  "naming": "plain"\r\n}\r\n', 'utf16le'));
  expect(await save({ scope: 'user', name: 'concurrency', value: 3 })).toEqual({ file, outcome: 'changed' });
  expect((await readFile(file)).toString('utf16le')).toBe(
    '\ufeff{\r\n  "naming": "plain",\r\n  "concurrency": 3\r\n}\r\n',
  );
});

test('what is so already is not written again, and nothing is made to take nothing out', async () => {
  const file = path.join(machine.holtHome, 'config.json');
  expect(await save({ scope: 'user', name: 'naming', value: null })).toEqual({ file, outcome: 'unchanged' });
  expect(realFiles.exists(file)).toBe(false);
  await save({ scope: 'user', name: 'naming', value: 'plain' });
  const before = await stat(file);
  expect(await save({ scope: 'user', name: 'naming', value: 'plain' })).toEqual({
    file,
    outcome: 'unchanged',
  });
  expect((await stat(file)).ino).toBe(before.ino);
});

test('a file that cannot be read as settings stays as it is', async () => {
  const file = path.join(machine.projectRoot, '.holt', 'config.json');
  await mkdir(path.dirname(file));
  await writeFile(file, '{ broken');
  await expect(save({ scope: 'project', name: 'naming', value: 'plain' })).rejects.toMatchObject({
    code: 'config-invalid',
    details: { file },
  });
  await expect(save({ scope: 'project', name: 'naming', value: 7 })).rejects.toMatchObject({
    code: 'config-invalid',
  });
  expect(await readFile(file, 'utf8')).toBe('{ broken');
});

test('a project’s link cannot make holt write outside the project', async () => {
  await mkdir(path.join(root, 'elsewhere'));
  await symlink(path.join(root, 'elsewhere'), path.join(machine.projectRoot, '.holt'));
  await expect(save({ scope: 'project', name: 'naming', value: 'plain' })).rejects.toMatchObject({
    code: 'config-unwritable',
  });
  expect(await readdir(path.join(root, 'elsewhere'))).toEqual([]);
});

test('undo takes the last setting back, byte for byte', async () => {
  await save({ scope: 'user', name: 'naming', value: 'plain' });
  const file = path.join(machine.holtHome, 'config.json');
  const before = await readFile(file, 'utf8');
  await save({ scope: 'user', name: 'concurrency', value: 3 });
  expect(await undoLast({ machine, files: realFiles, now: Date.now })).toMatchObject({
    title: 'set concurrency',
    files: [{ file, outcome: 'restored' }],
  });
  expect(await readFile(file, 'utf8')).toBe(before);
});

test('T116: a settings file that an editor has emptied keeps what the editor writes', async () => {
  const file = path.join(machine.holtHome, 'config.json');
  await mkdir(machine.holtHome, { mode: 0o700 });
  await writeFile(file, '');
  let waits = 0;
  const clock: Clock = {
    now: () => waits * 100,
    setTimer: (_ms, fire) => {
      waits += 1;
      void (waits === 1 ? writeFile(file, '{ "naming": "plain" }') : Promise.resolve()).then(fire);
      return () => undefined;
    },
  };
  const parts = { machine, files: realFiles, now: Date.now, clock };
  await saveSetting({ scope: 'user', name: 'concurrency', value: 3 }, parts);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ naming: 'plain', concurrency: 3 });
});

test('changes made at the same time all arrive', async () => {
  await Promise.all([
    save({ scope: 'user', name: 'naming', value: 'plain' }),
    save({ scope: 'user', name: 'concurrency', value: 3 }),
    save({ scope: 'user', name: 'timeouts.idleMs', value: 5 }),
    save({ scope: 'user', name: 'timeouts.startMs', value: 6 }),
  ]);
  expect(JSON.parse(await readFile(path.join(machine.holtHome, 'config.json'), 'utf8'))).toEqual({
    $schema: './cache/schemas/config.json',
    naming: 'plain',
    concurrency: 3,
    timeouts: { idleMs: 5, startMs: 6 },
  });
});
