import { execFileSync } from 'node:child_process';
import { chmod, link, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { hostSystem } from '../../../tests/fixtures/programs/start-program.ts';
import { loadPrivateFile, type PrivateFile, type PrivateFileOptions } from './private-file.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'holt-private-'));
  file = path.join(folder, 'credentials.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const load = (more: Partial<PrivateFileOptions> = {}): Promise<PrivateFile> =>
  loadPrivateFile(file, { os: hostSystem, maxBytes: 1000, ...more });
const refusal = (reason: string): object => ({ code: 'config-unwritable', details: { file, reason } });

test('a private file is read as it is', async () => {
  await writeFile(file, 'text', { mode: 0o600 });
  expect(await load()).toEqual({ kind: 'file', bytes: Buffer.from('text'), tightened: false });
});

test('a file that is not there is no fault', async () => {
  expect(await load()).toEqual({ kind: 'missing' });
});

describe.skipIf(hostSystem === 'windows')('on POSIX systems', () => {
  test.each([0o644, 0o640, 0o666, 0o604])(
    'T82: rights of %o are taken back, and that is told once',
    async (mode) => {
      await writeFile(file, 'text');
      await chmod(file, mode);
      expect([await load(), await load()].map((found) => found.kind === 'file' && found.tightened)).toEqual([
        true,
        false,
      ]);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    },
  );

  test('T81: a link is not followed, and what it leads to stays as it is', async () => {
    const target = path.join(folder, 'bashrc');
    await writeFile(target, 'mine', { mode: 0o644 });
    await symlink(target, file);
    await expect(load()).rejects.toMatchObject(refusal('link'));
    expect([await readFile(target, 'utf8'), (await stat(target)).mode & 0o777]).toEqual(['mine', 0o644]);
  });

  test('T81: a file with a second name is not used, nor its rights changed', async () => {
    const other = path.join(folder, 'other');
    await writeFile(other, 'text', { mode: 0o644 });
    await link(other, file);
    await expect(load()).rejects.toMatchObject(refusal('second-name'));
    expect((await stat(other)).mode & 0o777).toBe(0o644);
  });

  test.each(['mkfifo', 'mkdir'])('T81: what %s makes is not waited for', async (command) => {
    execFileSync(command, [file]);
    await expect(load()).rejects.toMatchObject(refusal('not-a-file'));
  });

  test('T81: a socket or a device is not used', async () => {
    const { createServer } = await import('node:net');
    const server = createServer().listen(file);
    await new Promise((resolve) => server.once('listening', resolve));
    await expect(load()).rejects.toMatchObject(refusal('not-a-file'));
    await new Promise((resolve) => server.close(resolve));
    await expect(loadPrivateFile('/dev/zero', { os: hostSystem, maxBytes: 1 })).rejects.toMatchObject({
      details: { reason: 'not-a-file' },
    });
  });

  test('a file of another user is not used', async () => {
    await writeFile(file, 'text');
    await expect(load({ uid: (process.getuid?.() ?? 0) + 1 })).rejects.toMatchObject(
      refusal('owned-by-another'),
    );
  });
});

test('a file that is too large is not used', async () => {
  await writeFile(file, 'x'.repeat(1001), { mode: 0o600 });
  await expect(load()).rejects.toMatchObject(refusal('too-large'));
});

test('a folder above it that is none is told', async () => {
  await writeFile(path.join(folder, 'plain'), '');
  await mkdir(path.join(folder, 'x'));
  await expect(
    loadPrivateFile(path.join(folder, 'plain', 'x'), { os: hostSystem, maxBytes: 1 }),
  ).rejects.toMatchObject({
    message: `${path.join(folder, 'plain')} is not a folder, so holt does not use it`,
    details: { reason: 'not-a-folder' },
  });
});
