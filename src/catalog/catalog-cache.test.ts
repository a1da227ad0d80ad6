/** The cache of catalogs: a stored catalog is loaded unless something is wrong with its files. */

import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import type { Tool } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { hostSystem } from '../../tests/fixtures/programs/start-program.ts';
import { makeMachine } from '../../tests/support/agent-machine.ts';
import type { Machine } from '../kernel/machine.ts';
import { realFiles } from '../platform/files/files.ts';
import type { CachedCatalog } from './cached-catalog.ts';
import { createCatalogCacheFile, type CacheStore } from './catalog-cache.ts';
import { toolDigest } from './pins.ts';
import { cpuMs } from '../../tests/support/cpu-time.ts';

let home: string;
let machine: Machine;
let folder: string;
let wallNow: number;
beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'holt-catalog-'));
  machine = { ...makeMachine({ os: hostSystem }), path, holtHome: path.join(home, '.holt') };
  folder = path.join(machine.holtHome, 'cache', 'catalog');
  wallNow = Date.parse('2026-07-28T10:00:00Z');
});
afterEach(() => rm(home, { recursive: true, force: true }));

const dayMs = 24 * 3600 * 1000;
const key = '["stdio","npx",["secret-token"]]';

function open(bounds: { maxFiles?: number; maxBytes?: number } = {}): CacheStore {
  return createCatalogCacheFile(machine, { files: realFiles, wallNow: () => wallNow, ...bounds });
}

function catalogOf(tools: readonly Tool[], instructions?: string): Omit<CachedCatalog, 'savedAt'> {
  const listed = tools.map((tool) => ({ name: tool.name, digest: toolDigest(tool), tool }));
  return instructions === undefined ? { tools: listed } : { tools: listed, instructions };
}

const tools: readonly Tool[] = [
  {
    name: 'read',
    title: 'Lesen — 读',
    description: 'x\ny',
    inputSchema: { type: 'object', properties: { path: {} } },
  },
  { name: '__proto__', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
];

function onlyName(name: string): Tool {
  return { name, inputSchema: { type: 'object', properties: {} } };
}

async function part(kind: 'head' | 'body'): Promise<string> {
  const name = (await readdir(folder)).find((file) => file.endsWith(kind));
  return path.join(folder, name ?? '');
}

describe('a cached catalog', () => {
  test('is loaded by its key with all its tools', async () => {
    expect(open().load(key)).toBeUndefined();
    await open().save(key, catalogOf(tools, 'Be kind'));
    const found = open().load(key);
    expect(found?.tools.map(({ name, digest, tool }) => ({ name, digest, tool }))).toEqual(
      catalogOf(tools).tools,
    );
    expect([found?.savedAt, found?.instructions]).toEqual([wallNow, 'Be kind']);
    expect(found?.tools.map(({ parts }) => parts)).toEqual([
      ['title', 'description', 'inputSchema'],
      ['inputSchema', 'annotations'],
    ]);
    expect(open().load(`${key} `)).toBeUndefined();
  });

  test('is private and does not contain its key', async () => {
    await open().save(key, catalogOf(tools));
    const places = [await part('head'), await part('body'), folder];
    const modes = places.map(async (place) => (await stat(place)).mode & 0o777);
    expect(await Promise.all(modes)).toEqual([0o600, 0o600, 0o700]);
    const [head = '', body = ''] = places;
    expect(`${head}${await readFile(head, 'utf8')}${await readFile(body, 'utf8')}`).not.toContain(
      'secret-token',
    );
  });

  test('is written again only when its content changed or it is old', async () => {
    const store = open();
    await store.save(key, catalogOf(tools));
    const before = (await stat(await part('head'))).ino;
    await store.save(key, catalogOf(tools));
    expect((await stat(await part('head'))).ino).toBe(before);
    await store.save(key, catalogOf(tools.slice(1)));
    expect(store.load(key)?.tools).toHaveLength(1);
    wallNow += 20 * dayMs;
    await store.save(key, catalogOf(tools.slice(1)));
    expect(store.load(key)?.savedAt).toBe(wallNow);
  });

  test('can be deleted at any time', async () => {
    const store = open();
    await store.save(key, catalogOf(tools));
    await rm(path.dirname(folder), { recursive: true });
    expect(store.load(key)).toBeUndefined();
    await store.save(key, catalogOf(tools));
    expect(store.load(key)?.tools).toHaveLength(2);
  });
});

function changed(from: string | RegExp, to: string): (bytes: Buffer) => Uint8Array {
  return (bytes) => {
    const text = bytes.toString().replace(from, to);
    expect(text).not.toBe(bytes.toString());
    return Buffer.from(text);
  };
}

describe('a cached catalog counts as missing', () => {
  test.each<readonly [string, (bytes: Buffer) => Uint8Array]>([
    ['cut short', (bytes) => bytes.subarray(0, -1)],
    ['empty', () => Buffer.alloc(0)],
    ['zeros', (bytes) => Buffer.alloc(bytes.length)],
    ['of another format version', changed('"holt":4', '"holt":3')],
    ['with a name that is not a string', changed('"read"', '7')],
    ['with one name too many', changed('"names":[', '"names":["x",')],
    ['with instructions that are not a string', changed('"names":[', '"instructions":7,"names":[')],
    ['with a stamp that is not a string', changed('"names":[', '"pinned":7,"names":[')],
    ['with digests that are not a string', changed(/"digests":"[^"]*"/, '"digests":7')],
    ['without the parts of the tools', changed(/"parts":[^\]]*\]/, '"parts":7')],
    ['without a number as its time', changed(/"savedAt":\d+/, '"savedAt":"today"')],
    ['not JSON', changed('{', ' ')],
  ])('when it is %s', async (_what, damage) => {
    await open().save(key, catalogOf(tools));
    await writeFile(await part('head'), damage(await readFile(await part('head'))));
    expect(open().load(key)).toBeUndefined();
    await open().save(key, catalogOf(tools));
    expect(open().load(key)?.tools).toHaveLength(2);
  });

  test('when it is a month old or from the future', async () => {
    await open().save(key, catalogOf(tools));
    wallNow += 31 * dayMs;
    expect(open().load(key)).toBeUndefined();
    wallNow -= 32 * dayMs;
    expect(open().load(key)).toBeUndefined();
  });

  test('when others can write it, or when it belongs to another key', async () => {
    await open().save(key, catalogOf(tools));
    const file = await part('head');
    await chmod(file, 0o666);
    expect(open().load(key)).toBeUndefined();
    await chmod(file, 0o600);
    await open().save('other', catalogOf(tools));
    const heads = (await readdir(folder)).filter((name) => name.endsWith('head'));
    const other = heads.find((name) => !file.endsWith(name)) ?? '';
    await writeFile(path.join(folder, other), await readFile(file));
    expect([open().load(key)?.tools.length, open().load('other')]).toEqual([2, undefined]);
  });

  test('when its folder cannot be used, without an error', async () => {
    await writeFile(machine.holtHome, '');
    await expect(open().save(key, catalogOf(tools))).resolves.toBeUndefined();
    expect(open().load(key)).toBeUndefined();
    await rm(machine.holtHome);
    await symlink(home, machine.holtHome);
    await open().save(key, catalogOf(tools));
    expect(await readdir(home)).toEqual(['.holt']);
  });
});

test.each<readonly [string, (bytes: Buffer) => Uint8Array, readonly unknown[]]>([
  ['a digest', changed(/"digests":"[0-9a-f]{4}/, '"digests":"ffff'), tools],
  ['all digests', changed(/"digests":"[^"]*"/, '"digests":""'), tools],
  ['an offset', changed(/"ends":"\d+/, '"ends":"z'), [onlyName('read'), onlyName('__proto__')]],
  ['a hash', changed(/"checks":"[0-9a-f]{4}/, '"checks":"ffff'), [onlyName('read'), tools[1]]],
])('a cached catalog with damage to %s never has a wrong definition', async (_what, damage, expected) => {
  await open().save(key, catalogOf(tools));
  const file = await part('head');
  await writeFile(file, damage(await readFile(file)));
  expect(
    open()
      .load(key)
      ?.tools.map(({ tool }) => tool),
  ).toEqual(expected);
});

test('a cached catalog with damaged digests is written again when the tools are listed', async () => {
  await open().save(key, catalogOf(tools));
  const file = await part('head');
  const damage = changed(/"digests":"[0-9a-f]{4}/, '"digests":"ffff');
  await writeFile(file, damage(await readFile(file)));
  expect(
    open()
      .load(key)
      ?.tools.map(({ digest }) => digest === toolDigest(tools[0] ?? onlyName(''))),
  ).toEqual([false, false]);
  await open().save(key, catalogOf(tools));
  expect(
    open()
      .load(key)
      ?.tools.map(({ tool }) => tool),
  ).toEqual(tools);
});

test('a cached catalog is written again when the stamp of its pins changes', async () => {
  const store = open();
  for (const pinned of ['one', 'two']) {
    await store.save(key, { ...catalogOf(tools), pinned });
    expect(open().load(key)?.pinned).toBe(pinned);
  }
});

describe('a tool whose stored definition is', () => {
  const onlyNames = tools.map(({ name }) => onlyName(name));
  const found = (): readonly Tool[] | undefined =>
    open()
      .load(key)
      ?.tools.map(({ tool }) => tool);

  test('damaged has only its name', async () => {
    await open().save(key, catalogOf(tools));
    const bytes = await readFile(await part('body'));
    bytes.write('z', bytes.lastIndexOf('Lesen'));
    await writeFile(await part('body'), bytes);
    expect(found()).toEqual([onlyNames[0], tools[1]]);
  });

  test('missing or from another write has only its name', async () => {
    await open().save(key, catalogOf(tools));
    await writeFile(await part('body'), 'x'.repeat(1000));
    expect(found()).toEqual(onlyNames);
    await rm(await part('body'));
    expect(found()).toEqual(onlyNames);
  });
});

describe('the limits', () => {
  test('of files and bytes hold, and the newest files stay', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await open({ maxFiles: 4 }).save(name, catalogOf(tools));
    expect(await readdir(folder)).toHaveLength(4);
    expect(open().load('d')?.tools).toHaveLength(2);
    await open({ maxBytes: 100 }).save('e', catalogOf(tools));
    expect(open().load('e')).toBeUndefined();
  });

  test('five thousand large tools load faster than parsing half of them, because a tool is parsed when it is read', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`field_${at}`, { description: 'x'.repeat(80) }]),
    );
    const fat = Array.from({ length: 5000 }, (_, at): Tool => ({
      name: `tool_${at}`,
      inputSchema: { type: 'object', properties },
    }));
    const digest = '0'.repeat(64);
    await open().save(key, { tools: fat.map((tool) => ({ name: tool.name, digest, tool })) });
    const times = Array.from({ length: 5 }, () => {
      const start = cpuMs();
      expect(open().load(key)?.tools).toHaveLength(5000);
      return cpuMs() - start;
    });
    const parsing = cpuMs();
    JSON.parse(JSON.stringify(fat));
    const floor = cpuMs() - parsing;
    expect(Math.min(...times)).toBeLessThan(floor / 2);
    expect(open().load(key)?.tools[4999]?.tool).toEqual(fat[4999]);
  });
});
