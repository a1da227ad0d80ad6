import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import type { DiscoverResult } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, test } from 'vitest';

import { realFiles } from '../platform/files/files.ts';
import { readMachine } from '../platform/machine-facts.ts';
import { createEraFile, createEraMemory, type EraStore } from './era-memory.ts';

const day = 24 * 3600 * 1000;
const discover: DiscoverResult = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };

function memoryStore(): EraStore & { document: unknown; writes: number } {
  const store: EraStore & { document: unknown; writes: number } = {
    document: undefined,
    writes: 0,
    load: () => store.document,
    change: (edit) => {
      store.document = JSON.parse(JSON.stringify(edit(store.document)));
      store.writes += 1;
      return Promise.resolve();
    },
  };
  return store;
}

describe('what is remembered of a server', () => {
  test('is there at the next start', async () => {
    const store = memoryStore();
    const first = createEraMemory({ store, wallNow: () => 0 });
    first.remember('old', { era: 'stateful' });
    first.remember('new', { era: 'stateless', discover });
    first.rememberTransport('https://x.test/sse', 'sse');
    await first.flush();
    const second = createEraMemory({ store, wallNow: () => day });
    expect([second.recall('old'), second.recall('new'), second.recall('nobody')]).toEqual([
      { era: 'stateful' },
      { era: 'stateless', discover },
      undefined,
    ]);
    expect([second.recallTransport('https://x.test/sse'), second.recallTransport('https://y.test')]).toEqual([
      'sse',
      undefined,
    ]);
    expect(store.writes).toBe(1);
  });

  test('is asked again after seven days, and when it was written in the future', async () => {
    const store = memoryStore();
    const memory = createEraMemory({ store, wallNow: () => 10 * day });
    memory.remember('x', { era: 'stateful' });
    await memory.flush();
    const at = (time: number) => createEraMemory({ store, wallNow: () => time }).recall('x');
    expect([at(10 * day), at(17 * day - 1), at(17 * day), at(9 * day)]).toEqual([
      { era: 'stateful' },
      { era: 'stateful' },
      undefined,
      undefined,
    ]);
  });

  test('is written only when it is news, or a day old', async () => {
    const store = memoryStore();
    let now = 0;
    const memory = createEraMemory({ store, wallNow: () => now });
    for (const time of [0, 1000, day, day + 1, 2 * day]) {
      now = time;
      memory.remember('x', { era: 'stateless', discover });
      await memory.flush();
    }
    expect(store.writes).toBe(2);
    memory.remember('x', { era: 'stateful' });
    await memory.flush();
    expect([store.writes, memory.recall('x')]).toEqual([3, { era: 'stateful' }]);
  });

  test('can be forgotten, and what another process learned meanwhile stays', async () => {
    const store = memoryStore();
    const [mine, theirs] = [
      createEraMemory({ store, wallNow: () => 0 }),
      createEraMemory({ store, wallNow: () => 0 }),
    ];
    mine.remember('a', { era: 'stateful' });
    await mine.flush();
    theirs.remember('b', { era: 'stateful' });
    await theirs.flush();
    mine.forget('a');
    await mine.flush();
    const next = createEraMemory({ store, wallNow: () => 0 });
    expect([mine.recall('a'), next.recall('a'), next.recall('b')]).toEqual([
      undefined,
      undefined,
      { era: 'stateful' },
    ]);
  });

  test.each([
    ['nonsense', 'nonsense'],
    ['a list', []],
    ['entries of other shapes', { entries: { 'server:x': 7, y: { at: 3 }, z: { era: 'stateful' } } }],
  ])('counts as nothing when the file holds %s', (_, document) => {
    const memory = createEraMemory({
      store: { load: () => document, change: () => Promise.resolve() },
      wallNow: () => 0,
    });
    expect(memory.recall('x')).toBeUndefined();
  });

  test('does no harm when it cannot be kept', async () => {
    const store: EraStore = { load: () => undefined, change: () => Promise.reject(new Error('disk full')) };
    const memory = createEraMemory({ store, wallNow: () => 0 });
    memory.remember('x', { era: 'stateful' });
    await memory.flush();
    expect(memory.recall('x')).toEqual({ era: 'stateful' });
  });
});

describe('the file of it', () => {
  const folders: string[] = [];
  afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true }))));

  test('lies in holt’s cache, is private, names no server, and may be damaged', async () => {
    const home = await mkdtemp(path.join(os.tmpdir(), 'holt-eras-'));
    folders.push(home);
    const machine = readMachine({ home, cwd: home, env: {} });
    const memory = createEraMemory({ store: createEraFile(machine, realFiles), wallNow: () => 5 });
    memory.remember('https://x.test/?token=hunter2', { era: 'stateful' });
    await memory.flush();
    const file = path.join(machine.holtHome, 'cache', 'eras.json');
    const text = await readFile(file, 'utf8');
    expect(JSON.parse(text)).toMatchObject({ version: 1 });
    expect(text).not.toContain('hunter2');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const again = () => createEraMemory({ store: createEraFile(machine, realFiles), wallNow: () => 5 });
    expect(again().recall('https://x.test/?token=hunter2')).toEqual({ era: 'stateful' });
    await writeFile(file, '{"version":1,"entr');
    expect(again().recall('https://x.test/?token=hunter2')).toBeUndefined();
  });
});
