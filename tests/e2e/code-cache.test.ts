/** The code cache that the command makes at its first run. It is code, so only one that is whole and private may run. */

import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { packageRoot } from '../support/holt-command.ts';

const run = promisify(execFile);
const header = /^NAME +TRANSPORT +CONNECT +SOURCE\n/;
let folder = '';
let dist = '';
let home = '';

beforeEach(async () => {
  folder = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'holt-cache-')));
  dist = path.join(folder, 'dist');
  home = path.join(folder, 'home');
  await fs.mkdir(dist);
  await fs.mkdir(home);
  for (const name of ['holt.cjs', 'command.cjs'])
    await fs.copyFile(path.join(packageRoot, 'dist', name), path.join(dist, name));
});
afterEach(() => fs.rm(folder, { recursive: true, force: true }));

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly args?: readonly string[];
}

async function list({ env = {}, cwd = folder, args = ['list', '--example'] }: RunOptions = {}) {
  const { stdout, stderr } = await run(process.execPath, [path.join(dist, 'holt.cjs'), ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env },
  });
  expect(stderr).toBe('');
  return stdout;
}

async function cachesIn(holtHome = path.join(home, '.holt')): Promise<readonly string[]> {
  const code = path.join(holtHome, 'cache', 'code');
  const names = await fs.readdir(code, { recursive: true }).catch(() => []);
  return names
    .filter((name) => name.endsWith('.cache'))
    .toSorted()
    .map((name) => path.join(code, name));
}

async function onlyCache(holtHome?: string): Promise<string> {
  const [file, ...rest] = await cachesIn(holtHome);
  expect([typeof file, rest]).toEqual(['string', []]);
  return file ?? '';
}

const modeOf = async (place: string): Promise<number> => (await fs.stat(place)).mode & 0o777;

test('the first run keeps its folder out of repositories, and leaves an existing folder as it is', async () => {
  await list();
  const ignore = path.join(home, '.holt', '.gitignore');
  expect([await fs.readFile(ignore, 'utf8'), await modeOf(ignore)]).toEqual(['*\n', 0o600]);

  await fs.rm(path.join(home, '.holt'), { recursive: true });
  await fs.mkdir(path.join(home, '.holt'));
  await list();
  await expect(fs.stat(ignore)).rejects.toThrow('ENOENT');
});

/** A cache that is used is not written again, so its time stays. */
async function isUsed(file: string, options: RunOptions = {}): Promise<boolean> {
  const minuteAgo = new Date(Math.floor(Date.now() / 1000) * 1000 - 60_000);
  await fs.utimes(file, minuteAgo, minuteAgo);
  expect(await list(options)).toMatch(header);
  return (await fs.stat(file)).mtimeMs === minuteAgo.getTime();
}

describe('the code cache', () => {
  test('the first run of a command makes one that only the user can read, and later runs use it', async () => {
    expect(await list()).toMatch(header);
    const file = await onlyCache();
    expect([await modeOf(file), await modeOf(path.dirname(file))]).toEqual([0o600, 0o700]);
    expect(await isUsed(file)).toBe(true);
    await list({ args: ['doctor'] }).catch(() => undefined);
    expect((await cachesIn()).map((name) => path.basename(name))).toEqual(['doctor.cache', 'list.cache']);
  });

  test('--version and --help need none', async () => {
    await list({ args: ['--version'] });
    await list({ args: ['--help'] });
    expect(await fs.readdir(home)).toEqual([]);
  });

  test('a damaged one is not run but made again', async () => {
    await list();
    const file = await onlyCache();
    const intact = await fs.readFile(file);
    for (const at of [0, 40, Math.floor(intact.length / 2)]) {
      const damaged = Buffer.from(intact);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      await fs.writeFile(file, damaged);
      expect([at, await isUsed(file)]).toEqual([at, false]);
    }
    for (const content of ['', 'not a cache']) {
      await fs.writeFile(file, content);
      expect([content, await isUsed(file)]).toEqual([content, false]);
    }
    expect(await isUsed(file)).toBe(true);
  });

  test('one of an edited source of the same length is not run', async () => {
    await list();
    const bundle = path.join(dist, 'command.cjs');
    const text = await fs.readFile(bundle, 'utf8');
    const edited = text.replaceAll('"NAME"', '"EMAN"');
    expect([edited === text, edited.length]).toEqual([false, text.length]);
    await fs.writeFile(bundle, edited);
    expect(await list()).toMatch(/^EMAN/);
  });

  test('other flags of V8 get one of their own, which is used as well', async () => {
    await list();
    const env = { NODE_OPTIONS: '--max-old-space-size=4096' };
    await list({ env });
    const files = await cachesIn();
    expect(files).toHaveLength(2);
    for (const file of files) expect(await isUsed(file, { env })).toBe(true);
  });

  test('one that V8 rejects is made again', async () => {
    await list();
    const file = await onlyCache();
    const name = path.basename(path.dirname(file));
    await list({ env: { NODE_OPTIONS: '--max-old-space-size=4096' } });
    const other = (await cachesIn()).find((each) => !each.includes(name)) ?? '';
    await fs.copyFile(other, file);
    expect(await isUsed(file)).toBe(false);
    expect(await isUsed(file)).toBe(true);
  });

  test('one that is older than a day is made again, with what later runs needed', async () => {
    await list();
    const file = await onlyCache();
    const longAgo = new Date(Date.now() - 25 * 3_600_000);
    await fs.utimes(file, longAgo, longAgo);
    await list();
    expect((await fs.stat(file)).mtimeMs).toBeGreaterThan(longAgo.getTime());
  });

  test('caches of versions that have not run for a month are removed', async () => {
    const code = path.join(home, '.holt', 'cache', 'code');
    await fs.mkdir(path.join(code, 'unused'), { recursive: true });
    await fs.mkdir(path.join(code, 'recent'));
    const longAgo = new Date(Date.now() - 31 * 24 * 3_600_000);
    await fs.utimes(path.join(code, 'unused'), longAgo, longAgo);
    await list();
    expect((await fs.readdir(code)).filter((name) => /^[a-z]/.test(name))).toEqual(['recent']);
  });

  test('a home that cannot be written to costs only time', async () => {
    const file = path.join(folder, 'no-folder');
    await fs.writeFile(file, '');
    expect(await list({ env: { HOME: file } })).toMatch(header);
  });

  test('a folder that others may write to is not used', async () => {
    await list();
    const file = await onlyCache();
    await fs.chmod(path.dirname(file), 0o777);
    await fs.writeFile(file, 'planted');
    expect(await list()).toMatch(header);
    expect(await fs.readFile(file, 'utf8')).toBe('planted');
  });

  test('HOLT_HOME moves it, but not into a project, which could bring its own', async () => {
    const elsewhere = path.join(folder, 'elsewhere');
    const project = path.join(folder, 'project');
    const inside = path.join(project, 'sub');
    await fs.mkdir(path.join(project, '.git'), { recursive: true });
    await fs.mkdir(inside);
    await list({ env: { HOLT_HOME: elsewhere }, cwd: inside });
    expect(await isUsed(await onlyCache(elsewhere), { env: { HOLT_HOME: elsewhere }, cwd: inside })).toBe(
      true,
    );
    expect(await cachesIn()).toEqual([]);
    await fs.symlink(path.join(project, 'linked'), path.join(folder, 'link'));
    await fs.mkdir(path.join(project, 'linked'));
    for (const holtHome of [path.join(project, 'own'), path.join(folder, 'link')]) {
      await list({ env: { HOLT_HOME: holtHome }, cwd: inside }).catch(() => undefined); // refused by `list`
      expect([holtHome, await cachesIn(holtHome)]).toEqual([holtHome, []]);
    }
  });
});
